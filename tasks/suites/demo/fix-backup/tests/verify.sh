# Backs up folders made now, twice into the same place.
cd "${FORGE_WORKDIR:-/app}" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
from="$work/my papers $seed"
to="$work/safe place"
mkdir "$from"
for name in "a$seed" "b $seed.txt" "two  spaces" "-x $seed"; do echo "$name and $seed" > "$from/$name"; done
sh backup.sh "$from" "$to" || { echo "exit code $?" >&2; exit 1; }
diff -r "$from" "$to" >&2 || exit 1
echo "kept $seed" > "$to/own file"
echo "changed $seed" > "$from/a$seed"
sh backup.sh "$from" "$to" || { echo "second time: exit code $?" >&2; exit 1; }
[ "$(cat "$to/own file")" = "kept $seed" ] || { echo "a file of the target is gone" >&2; exit 1; }
rm "$to/own file"
diff -r "$from" "$to" >&2
