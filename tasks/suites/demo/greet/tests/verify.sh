# Greets names drawn now.
cd "${FORGE_WORKDIR:-/app}" || exit 1
expect() {
  [ "$got" = "$1" ] || { echo "expected '$1', got '$got'" >&2; exit 1; }
}
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
for name in "Ann$seed" "Bo  $seed Lee" "*" "-n$seed"; do
  got=$(sh greet.sh "$name")
  expect "Hello, $name!"
done
got=$(sh greet.sh)
expect "Hello, world!"
