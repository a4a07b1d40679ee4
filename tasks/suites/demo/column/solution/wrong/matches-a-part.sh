# Takes the first column whose name contains the one asked for.
cat > column.sh <<'END'
n=$(head -n 1 "$2" | tr ',' '\n' | grep -n "$1" | head -n 1 | cut -d : -f 1)
[ -n "$n" ] || exit 1
tail -n +2 "$2" | cut -d , -f "$n"
END
