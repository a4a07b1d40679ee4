cat > levels.sh <<'END'
cut -d ' ' -f 1 "$1" | sort | uniq -c | sort -nr | awk '{ print $2, $1 }'
END
