cat > levels.sh <<'END'
awk '{ count[$1]++ } END { for (level in count) print level, count[level] }' "$1" | LC_ALL=C sort -k2,2nr -k1,1
END
