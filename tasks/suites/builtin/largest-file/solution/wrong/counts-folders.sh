echo 'cd "$1" && du -s * | sort -n | tail -n 1 | cut -f 2' > largest.sh
