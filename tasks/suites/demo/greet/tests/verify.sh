# Greets names drawn now.
. "${FORGE_TESTS:-/tests}/apart.sh"
expect() {
  [ "$got" = "$1" ] || { echo "expected '$1', got '$got'" >&2; exit 1; }
}
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
for name in "Ann$seed" "Bo  $seed Lee" "*" "-n$seed"; do
  got=$(apart sh greet.sh "$name")
  expect "Hello, $name!"
done
got=$(apart sh greet.sh)
expect "Hello, world!"
