# Counts the word wherever it stands.
cat > errors.sh <<'END'
{ cat "$1"/app.log "$1"/app.log.1; gzip -dc "$1"/app.log.*.gz; } 2>/dev/null | grep ERROR | grep -o '^[0-9-]*' | grep . | sort | uniq -c | awk '{ print $2, $1 }'
END
