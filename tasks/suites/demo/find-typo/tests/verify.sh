# Looks for words drawn now, whole and in part, in files drawn now.
. "${FORGE_TESTS:-/tests}/apart.sh"
word=$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n' | tr '0123456789' 'ghijklmnop')
upper=$(echo "$word" | tr 'a-z' 'A-Z')
expect() {
  give "$work/file"
  got=$(apart sh check.sh "$2" "$work/file")
  [ "$got" = "$1" ] || { echo "'$2' in '$(cat "$work/file")': expected $1, got '$got'" >&2; exit 1; }
}
printf 'one\nand %s, then\nlast' "$word" > "$work/file"
expect yes "$word"
expect yes "$upper"
expect no "${word}s"
expect no "${word%?}"
echo "$upper" > "$work/file"
expect yes "$word"
echo "x$word ${word}y" > "$work/file"
expect no "$word"
: > "$work/file"
expect no "$word"
