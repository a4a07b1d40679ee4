# Counts the levels of a log drawn now. The counts are fixed before the lines are shuffled, so the answer needs no counting.
. "${FORGE_TESTS:-/tests}/apart.sh"
for round in 1 2 3; do
  seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
  awk -v seed="$seed" -v file="$work/expected" 'BEGIN {
    srand(seed)
    many = 12 + int(rand() * 20); few = 2 + int(rand() * 8); first = "FATAL" int(rand() * 90 + 10)
    print first, many > file
    print "DEBUG", few > file; print "INFO", few > file; print "WARN", few > file
    print "ERROR", 1 > file
    for (i = 0; i < many; i++) print rand(), first, "WARN is a word here"
    for (i = 0; i < few; i++) { print rand(), "WARN INFO"; print rand(), "INFO"; print rand(), "DEBUG ERROR ERROR" }
    print rand(), "ERROR the end"
  }' | sort -n | sed 's/^[^ ]* //' > "$work/log"
  give "$work/log"
  apart sh levels.sh "$work/log" > "$work/got"
  diff "$work/expected" "$work/got" >&2 || exit 1
done
