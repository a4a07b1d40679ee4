echo 'find "$1" -maxdepth 1 -type f -printf "%s %p\n" | sort -n | tail -n 1 | cut -d " " -f 2-' > largest.sh
