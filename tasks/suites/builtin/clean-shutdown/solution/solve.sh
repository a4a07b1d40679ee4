cat > worker.sh <<'END'
folder=$1
if [ -s "$folder/worker.pid" ] && kill -0 "$(cat "$folder/worker.pid")" 2>/dev/null; then
  echo "already running"
  exit 1
fi
finish() {
  rm -f "$folder/worker.pid"
  wc -l < "$folder/ticks.log" > "$folder/total"
  exit 0
}
touch "$folder/ticks.log"
trap finish TERM
echo $$ > "$folder/worker.pid"
while true; do
  echo tick >> "$folder/ticks.log"
  sleep 0.1
done
END
