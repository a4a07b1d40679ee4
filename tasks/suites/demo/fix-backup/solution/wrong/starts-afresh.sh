cat > backup.sh <<'END'
rm -rf "$2"
cp -r "$1" "$2"
END
