# Backs up folders made now, twice into the same place.
. "${FORGE_TESTS:-/tests}/apart.sh"
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
mkdir "$work/drawn"
from="$work/drawn/my papers $seed"
to="$work/drawn/safe place"
mkdir "$from"
for name in "a$seed" "b $seed.txt" "two  spaces" "-x $seed"; do echo "$name and $seed" > "$from/$name"; done
give "$work/drawn"
apart sh backup.sh "$from" "$to" || { echo "exit code $?" >&2; exit 1; }
diff -r "$from" "$to" >&2 || exit 1
echo "kept $seed" > "$to/own file"
echo "changed $seed" > "$from/a$seed"
give "$work/drawn"
apart sh backup.sh "$from" "$to" || { echo "second time: exit code $?" >&2; exit 1; }
[ "$(cat "$to/own file")" = "kept $seed" ] || { echo "a file of the target is gone" >&2; exit 1; }
rm "$to/own file"
diff -r "$from" "$to" >&2
