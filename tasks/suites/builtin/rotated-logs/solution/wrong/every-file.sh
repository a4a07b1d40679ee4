# Also reads what is not part of the log.
cat > errors.sh <<'END'
zcat -f "$1"/* | awk '/^[0-9]+-[0-9]+-[0-9]+T[0-9:]+ ERROR/ { count[substr($1, 1, 10)]++ } END { for (day in count) print day, count[day] }' | sort
END
