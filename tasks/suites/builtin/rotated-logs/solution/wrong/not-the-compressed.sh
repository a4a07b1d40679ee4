cat > errors.sh <<'END'
cat "$1"/app.log "$1"/app.log.1 2>/dev/null | awk '$1 ~ /^[0-9]+-/ && $2 == "ERROR" { count[substr($1, 1, 10)]++ } END { for (day in count) print day, count[day] }' | sort
END
