# Asks for every column of a table drawn now, and for one that is not there.
. "${FORGE_TESTS:-/tests}/apart.sh"
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
names="id name full${seed} ame"
awk -v seed="$seed" -v names="$names" -v folder="$work" 'BEGIN {
  srand(seed)
  columns = split(names, name, " ")
  line = name[1]
  for (c = 2; c <= columns; c++) line = line "," name[c]
  print line > (folder "/table.csv")
  for (row = 0; row < 12; row++) {
    line = ""
    for (c = 1; c <= columns; c++) {
      cell = "v" int(rand() * 1000) (c == 2 ? " two words" : "")
      print cell > (folder "/" name[c])
      line = line (c > 1 ? "," : "") cell
    }
    print line > (folder "/table.csv")
  }
}'
give "$work/table.csv"
for name in $names; do
  apart sh column.sh "$name" "$work/table.csv" > "$work/got" || { echo "column $name: exit code $?" >&2; exit 1; }
  cmp -s "$work/got" "$work/$name" || { echo "column $name: other cells" >&2; exit 1; }
done
got=$(apart sh column.sh "none$seed" "$work/table.csv") && { echo "no such column: exit code 0" >&2; exit 1; }
[ -z "$got" ] || { echo "no such column: printed '$got'" >&2; exit 1; }
