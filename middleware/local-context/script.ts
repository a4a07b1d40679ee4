/**
 * A POSIX script that prints what is in the working folder, one `@key value` a line, the important and quick ones first, so that a run cut
 * short by its timeout still says something. It runs on busybox, asks nothing of git but reading (no index refresh), stays inside the
 * working folder, and ends with `@end`. `parse-snapshot.ts` reads it.
 */
export function createScript(o: { readonly depth: number; readonly entries: number; readonly tools: readonly string[] }): string {
  return script
    .replace("{tools}", o.tools.map((tool) => `'${tool}'`).join(" ") || "''")
    .replaceAll("{depth}", String(o.depth))
    .replaceAll("{entries}", String(o.entries))
    .replaceAll("{over}", String(o.entries + 1));
}

/** Made by tools, not by people, and large. */
const skipped = ".git node_modules .venv venv __pycache__ .cache .pytest_cache .mypy_cache target .forge"
  .split(" ")
  .map((name) => `-name ${name}`)
  .join(" -o ");

const script = `
export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_PAGER=cat
have() { command -v "$1" >/dev/null 2>&1; }
say() { printf '@%s %s\\n' "$1" "$2"; }
holds() { [ -f "$2" ] && grep -q "$1" "$2" 2>/dev/null; }
say cwd "$(pwd)"
for t in {tools}; do
  [ -n "$t" ] || continue
  if have "$t"; then say present "$t"; else say absent "$t"; fi
done
[ -f package-lock.json ] && say manager npm
[ -f pnpm-lock.yaml ] && say manager pnpm
[ -f yarn.lock ] && say manager yarn
[ -f uv.lock ] && say manager uv
[ -f poetry.lock ] && say manager poetry
[ -f requirements.txt ] && say manager 'pip (requirements.txt)'
[ -f Cargo.toml ] && say manager cargo
[ -f go.mod ] && say manager 'go modules'
[ -f pom.xml ] && say manager maven
[ -f build.gradle ] && say manager gradle
[ -f Gemfile ] && say manager bundler
[ -f composer.json ] && say manager composer
holds '"test"[[:space:]]*:' package.json && say test 'npm test'
holds '^test[[:space:]]*:' Makefile && say test 'make test'
[ -f Cargo.toml ] && say test 'cargo test'
[ -f go.mod ] && say test 'go test ./...'
[ -f pom.xml ] && say test 'mvn test'
[ -f build.gradle ] && say test 'gradle test'
python_tests=no
[ -f pytest.ini ] && python_tests=yes
[ -f conftest.py ] && python_tests=yes
holds pytest pyproject.toml && python_tests=yes
for f in test_*.py ./*_test.py tests/test_*.py test/test_*.py; do [ -f "$f" ] && python_tests=yes && break; done
if [ "$python_tests" = yes ]; then
  if have pytest; then say test pytest
  elif have python3 && python3 -I -c 'import pytest' >/dev/null 2>&1; then say test 'python3 -m pytest'
  else say test 'python3 -m unittest'; fi
fi
if ! have git; then say git none-installed
else
  g() { git -c safe.directory='*' -c core.fsmonitor=false "$@" 2>/dev/null; }
  if [ "$(g rev-parse --is-inside-work-tree)" = true ]; then
    say git "$(g symbolic-ref --short -q HEAD || echo 'detached')"
    say dirty "$(g status --porcelain | wc -l | tr -d ' ')"
    g log -3 --format='@commit %h %s'
  else say git no; fi
fi
if [ "$(pwd)" != / ] && have find; then
  all() { find . -maxdepth {depth} \\( ${skipped} \\) -prune -o "$@" 2>/dev/null; }
  by_depth() { if have awk; then awk -F/ '{ print NF - ($NF == "") " " $0 }' | sort -k1,1n -k2 | sed 's/^[0-9]* //'; else sort; fi; }
  all -type f -print | head -n 2000 | sed -n 's/.*[^/]\\.\\([A-Za-z][A-Za-z0-9]\\{0,5\\}\\)$/\\1/p' | sort | uniq -c | sort -rn | head -n 12 |
    while read -r n ext; do say ext "$ext $n"; done
  { all ! -name . -type d -print | sed 's|$|/|'; all ! -type d -print; } | head -n 5000 | sed 's|^\\./||' | by_depth | head -n {over} | sed 's/^/@file /'
fi
say end ''
`;
