cat > worker.sh <<'END'
[ -e "$1/worker.pid" ] && kill -0 "$(cat "$1/worker.pid")" 2>/dev/null && echo "already running" && exit 1
echo $$ > "$1/worker.pid"
while true; do echo tick >> "$1/ticks.log"; wc -l < "$1/ticks.log" > "$1/total"; sleep 0.1; done
END
