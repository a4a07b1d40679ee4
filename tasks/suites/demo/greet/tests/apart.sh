# Sourced by verify.sh. Goes to a copy of the work; `apart` runs it as nobody where the verifier may change users, who can neither write the
# reward nor read the tests; `give` lets it have files or folders that were drawn.
nobody=
# Not in the sandbox `local`, which names its places and is a folder that nobody else may enter.
if [ -z "$FORGE_TESTS" ] && [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
  nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
  chmod 700 /tests /logs
  umask 077
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/copy"
cp -R "${FORGE_WORKDIR:-/app}/." "$work/copy" && cd "$work/copy" || exit 1
[ -z "$nobody" ] || { chmod 711 "$work" && chmod -R a+rX "$work/copy"; }
apart() { $nobody "$@"; }
give() { [ -z "$nobody" ] || chown -R 65534:65534 "$@"; }
