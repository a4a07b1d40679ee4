cat > longest.sh <<'END'
awk 'length >= most { most = length; line = $0 } END { if (most) print line }' "$1"
END
