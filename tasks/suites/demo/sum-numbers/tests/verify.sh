# Sums numbers drawn now; awk writes the file and knows the sum.
. "${FORGE_TESTS:-/tests}/apart.sh"
for count in 0 1 9 60; do
  seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
  expected=$(awk -v seed="$seed" -v count="$count" -v file="$work/numbers" 'BEGIN {
    srand(seed)
    print "# 7 numbers" > file
    for (i = 0; i < count; i++) {
      number = int(rand() * 2000) - 800
      sum += number
      print number > file
      if (i % 4 == 0) print "" > file
      if (i % 5 == 0) print "#" number > file
    }
    print "" > file
    print sum + 0
  }')
  give "$work/numbers"
  got=$(apart sh sum.sh "$work/numbers")
  [ "$got" = "$expected" ] || { echo "$count numbers: expected $expected, got '$got'" >&2; exit 1; }
done
