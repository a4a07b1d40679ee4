echo 'ls -S -p "$1" | grep -v / | tail -n 1' > largest.sh
