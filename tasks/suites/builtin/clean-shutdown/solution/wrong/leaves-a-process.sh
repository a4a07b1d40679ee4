cat > worker.sh <<'END'
[ -s "$1/worker.pid" ] && kill -0 "$(cat "$1/worker.pid")" 2>/dev/null && echo "already running" && exit 1
echo $$ > "$1/worker.pid"
trap 'rm "$1/worker.pid"; wc -l < "$1/ticks.log" > "$1/total"; exit 0' TERM
while true; do echo tick >> "$1/ticks.log"; sleep 0.1; done &
wait
END
