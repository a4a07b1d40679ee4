cat > sum.sh <<'END'
awk '!/^#/ { sum += $1 } END { print sum + 0 }' "$1"
END
