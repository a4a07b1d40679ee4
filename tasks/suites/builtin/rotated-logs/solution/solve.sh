cat > errors.sh <<'END'
for file in "$1"/app.log "$1"/app.log.*; do
  [ -f "$file" ] || continue
  case "${file##*/}" in
    app.log) cat -- "$file" ;;
    app.log.*[!0-9]*.gz | app.log..gz) ;;
    app.log.*.gz) gzip -dc -- "$file" ;;
    app.log.*[!0-9]*) ;;
    *) cat -- "$file" ;;
  esac
done | awk '/^[0-9]+-[0-9]+-[0-9]+T[0-9:]+ ERROR( |$)/ { count[substr($1, 1, 10)]++ } END { for (day in count) print day, count[day] }' | LC_ALL=C sort
END
