#!/bin/sh
cd "${FORGE_WORKDIR:-/app}" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# same FILE WANTED: what the script prints of the file.
same() {
  got=$(sh longest.sh "$1") && [ "$got" = "$2" ] && return
  echo "expected \"$2\", got \"$got\"" >&2
  exit 1
}

number=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
printf 'a\nthe longest one %s\nshort\n' "$number" > "$work/plain.txt"
same "$work/plain.txt" "the longest one $number"
printf 'aa\nbb\n1\n' > "$work/equal.txt"
same "$work/equal.txt" "aa"
: > "$work/empty.txt"
same "$work/empty.txt" ""
