cat > column.sh <<'END'
awk -F, -v name="$1" '
  NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; if (!column) exit 1; next }
  { print $column }
' "$2"
END
