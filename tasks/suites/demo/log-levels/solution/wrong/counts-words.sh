# Counts the levels it knows wherever they stand.
cat > levels.sh <<'END'
for level in INFO WARN ERROR; do
  n=$(grep -c "$level" "$1")
  [ "$n" -gt 0 ] && echo "$level $n"
done | sort -k2,2nr -k1,1
END
