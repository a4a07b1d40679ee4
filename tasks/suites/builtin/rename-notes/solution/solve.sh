cat > rename.sh <<'END'
shopt -s nullglob
for file in "$1"/*.txt; do
  [ -f "$file" ] || continue
  target="${file%.txt}.md"
  [ -e "$target" ] || mv -- "$file" "$target"
done
END
