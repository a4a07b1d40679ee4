import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkOf } from "../../../../harness/tools/effects/checks/check-of.ts";
import { splitShell } from "../../../../harness/tools/effects/checks/split-shell.ts";

const verdict = (command: string, exitCode: number | null = 0, output = ""): boolean | undefined =>
  checkOf({ command, exitCode, output })?.passed;

describe("a command that runs a check", () => {
  it.each([
    "pytest",
    "pytest -q tests/test_a.py",
    "py.test -x",
    "python -m pytest",
    "python3 -m pytest -k 'a or b'",
    "python3.11 -m unittest discover -s tests",
    "python -m unittest -v test_x",
    "python -m py_compile a.py",
    "python -m mypy .",
    "python test_sum.py",
    "python3 tests/test_sum.py",
    "python manage.py test",
    "coverage run -m pytest",
    "python -m coverage run -m pytest",
    "uv run pytest",
    "poetry run pytest -q",
    "npm test",
    "npm t",
    "npm run test:unit",
    "npm --prefix web run build",
    "pnpm test",
    "pnpm vitest run",
    "yarn test",
    "yarn run check",
    "npx vitest run",
    "npx --yes tsc --noEmit",
    "bun test",
    "node --test",
    "node --test test/",
    "node --check a.js",
    "node test/sum.test.js",
    "jest",
    "vitest run",
    "mocha",
    "go test ./...",
    "go build",
    "go vet ./...",
    "cargo test",
    "cargo check",
    "cargo build --release",
    "make",
    "make test",
    "make -j4 check",
    "make -C src all",
    "tsc",
    "tsc --noEmit -p .",
    "mypy src",
    "ruff check .",
    "gcc -o a a.c",
    "cc a.c",
    "x86_64-linux-gnu-gcc-12 a.c",
    "bash -n run.sh",
    "sh -n run.sh",
    "./test.sh",
    "./run-tests.sh fast",
    "bash test.sh",
    "sh ./tests/run.sh",
    "tests/run",
    "ctest --output-on-failure",
    "mvn -q test",
    "./mvnw verify",
    "gradle test",
    "./gradlew build",
    "FOO=1 pytest",
    "env -u X A=b pytest",
    "timeout 10 pytest",
    "timeout -k 5 --signal=KILL 10s pytest",
    "time pytest",
    "nice -n 5 make test",
    "/usr/bin/python3 -m pytest",
    "./venv/bin/pytest",
    "cd x && pytest",
    "cd x; pytest",
    "(cd x && pytest)",
    "{ pytest; }",
    'bash -c "cd x && pytest"',
    "sh -ec 'pytest'",
    "pytest > log 2>&1",
    "pytest 2>/dev/null",
    "pytest &> out.txt",
    "echo start\npytest",
    "cat > a.py <<'EOF'\nx = 1\nEOF\npython -m pytest",
    "pip install pytest && pytest",
    "# run them\npytest",
    "export A=1; pytest",
    "test -f a && pytest",
    "echo hi | pytest",
    "sudo -u me pytest",
    "set -e\npip install x\npytest",
    "pytest && echo ok",
    "pytest &&\n  echo ok",
    "pytest \\\n  -q",
    "'pytest' -q",
  ])("counts and passes with exit code 0: %s", (command) => {
    expect(verdict(command, 0)).toBe(true);
  });

  it.each([
    "pip install pytest",
    "pip install -q pytest mypy",
    "python -m pip install pytest",
    "apt-get install -y make",
    "npm install jest",
    "npm ci",
    "npm start",
    "npm run dev",
    "echo pytest",
    "echo 'run pytest && make test'",
    "printf 'pytest\\n'",
    "grep pytest setup.cfg",
    "grep -rn 'npm test' .",
    "which pytest",
    "command -v pytest",
    "type pytest",
    "cat test.sh",
    "cat tests/run.sh",
    "less test_sum.py",
    "ls tests",
    "vim test.py",
    "chmod +x test.sh",
    "cp test.sh /tmp",
    "pytest --version",
    "pytest --help",
    "pytest --collect-only",
    "python --version",
    "python script.py",
    "python -c 'import pytest'",
    "python -c 'print(1)' pytest",
    "node script.js",
    "node -e 'require(\"./test.js\")'",
    "go version",
    "go mod tidy",
    "cargo --version",
    "cargo run",
    "make clean",
    "make -n test",
    "make --dry-run",
    "gcc --version",
    "gcc -v",
    "tsc --version",
    "tsc --init",
    "ruff format .",
    "bash run.sh",
    "bash -c 'echo pytest'",
    "test -f pytest",
    "[ -x pytest ]",
    "git commit -m 'pytest passes'",
    'git commit -m "run\npytest\nnow"',
    "cat <<EOF\npytest\nEOF",
    "cat > run.sh <<'END'\npytest\nmake test\nEND",
    "cat <<-EOF > x\n\tpytest\n\tEOF",
    "# pytest",
    "ls # && pytest",
    "f() { pytest; }",
    "function f { echo; pytest; }",
    "alias t=pytest",
    "PYTEST=pytest",
    'x="pytest"',
    "x=$(pytest)",
    "echo `pytest`",
    "touch test_a.py",
    "sed -i s/a/b/ test.sh",
    "find . -name 'test*.sh'",
    "man pytest",
    "",
    "   ",
    "&& ||",
    "pytest\0".replace("\0", "-foo"),
  ])("is not: %s", (command) => {
    expect(checkOf({ command, exitCode: 0, output: "" })).toBeUndefined();
    expect(checkOf({ command, exitCode: 1, output: "" })).toBeUndefined();
  });

  it.each([
    "pytest",
    "cd x && pytest",
    "timeout 5 pytest",
    "pip install pytest && pytest",
    "pytest && echo ok",
    "(pytest)",
    'bash -c "pytest"',
  ])("has not passed with exit code 1: %s", (command) => {
    expect(verdict(command, 1)).toBe(false);
  });

  it("has not passed when its time ran out", () => {
    expect(verdict("pytest", null)).toBe(false);
  });

  it.each([126, 127])("did not run when the shell could not start it (%i)", (code) => {
    expect(verdict("pytest", code)).toBeUndefined();
  });

  it.each([
    "pytest | tail -3",
    "pytest; true",
    "pytest || true",
    "pytest; echo $?",
    "if pytest; then echo yes; fi",
    "! pytest",
    "for i in 1 2; do pytest; done",
    "pytest | tee log",
  ])("whose exit code is lost is read from its summary: %s", (command) => {
    expect(verdict(command, 0, "..\n==== 2 passed in 0.01s ====\n")).toBe(true);
    expect(verdict(command, 0, "F.\n==== 1 failed, 1 passed in 0.01s ====\n")).toBe(false);
    expect(verdict(command, 0, "2 passed, 1 warning in 0.01s\n")).toBe(true);
    expect(verdict(command, 0, "1 error in 0.05s")).toBe(false);
    expect(verdict(command, 0, "")).toBe(false);
    expect(verdict(command, 0, "all tests passed, honest")).toBe(false);
  });

  it("keeps its exit code through a pipe with pipefail, and through `;` with set -e", () => {
    expect(verdict("set -o pipefail; pytest | tail", 0)).toBe(true);
    expect(verdict("set -eo pipefail\npytest | tail\necho done", 0)).toBe(true);
    expect(verdict("set -o pipefail; pytest | tail", 1)).toBe(false);
    expect(verdict("set -e; pytest; echo done", 0)).toBe(true);
    expect(verdict("pytest; echo done", 0)).toBe(false);
  });

  it("may not have run behind || or in the background, so that without a summary it is none", () => {
    expect(verdict("true || pytest", 0)).toBeUndefined();
    expect(verdict("pytest &", 0)).toBeUndefined();
    expect(verdict("false || pytest", 0, "3 passed in 1.00s")).toBe(true);
  });

  it("that ran no tests checked nothing", () => {
    expect(verdict("pytest", 5, "no tests ran in 0.01s")).toBeUndefined();
    expect(verdict("python -m unittest", 0, "\nRan 0 tests in 0.000s\n\nOK\n")).toBeUndefined();
    expect(verdict("node --test", 0, "# pass 0\n# fail 0\n")).toBeUndefined();
  });

  it("passes with several runners only when each did, and names the one that did not", () => {
    expect(checkOf({ command: "ruff check . && pytest -q", exitCode: 0, output: "" })).toEqual({ command: "pytest -q", passed: true });
    expect(checkOf({ command: "tsc; pytest -q", exitCode: 0, output: "" })).toEqual({ command: "tsc", passed: false });
    expect(checkOf({ command: "make && pytest -q", exitCode: 2, output: "1 failed, 2 passed in 0.1s" })).toMatchObject({ passed: false });
  });

  it.each([
    ["python -m unittest | tail", "Ran 3 tests in 0.001s\n\nOK\n", true],
    ["python -m unittest | tail", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)\n", false],
    ["node --test | tail", "# tests 2\n# pass 2\n# fail 0\n", true],
    ["node --test | tail", "ℹ pass 1\nℹ fail 1\n", false],
    ["npm test | tail", "Tests:       2 passed, 2 total\n", true],
    ["npm test | tail", "Tests:       1 failed, 1 passed, 2 total\n", false],
    ["npx vitest run | tail", "      Tests  3 passed (3)\n", true],
    ["npx mocha | tail", "  3 passing (5ms)\n  1 failing\n", false],
    ["go test ./... | tail", "ok  \texample.com/a\t0.003s\n", true],
    ["go test ./... | tail", "--- FAIL: TestA\nFAIL\n", false],
    ["cargo test | tail", "test result: ok. 3 passed; 0 failed;\n", true],
    ["cargo test | tail", "test result: ok. 1 passed\ntest result: FAILED. 0 passed\n", false],
    ["ctest | tail", "100% tests passed, 0 tests failed out of 4\n", true],
    ["ctest | tail", "50% tests passed, 2 tests failed out of 4\n", false],
    ["mvn test | tail", "[INFO] BUILD SUCCESS\n", true],
    ["./gradlew test | tail", "BUILD FAILED in 3s\n", false],
    ["mypy . | tail", "Success: no issues found in 3 source files\n", true],
    ["tsc | head", "a.ts(1,2): error TS2304: Cannot find name\n", false],
    ["ruff check | head", "All checks passed!\n", true],
  ])("reads the summary of %s: %j", (command, output, passed) => {
    expect(verdict(command, 0, output)).toBe(passed);
  });
});

describe("the reader of shell commands", () => {
  const piece = fc.constantFrom(
    "pytest",
    "'",
    '"',
    "`",
    "$(",
    ")",
    "(",
    "{",
    "}",
    "|",
    "||",
    "&&",
    ";",
    "&",
    "\n",
    " ",
    "<<EOF",
    "EOF",
    "<<<",
    "2>&1",
    "\\",
    "#",
    "if ",
    "then ",
    "fi",
    "for ",
    "do ",
    "done",
    "case ",
    "esac",
    "function ",
    "f()",
    "!",
    "bash -c ",
    "=",
    "[[",
    "]]",
    "${",
  );

  it("reads anything without throwing", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 40 }).map((all) => all.join("")),
        ),
        fc.string(),
        (command, output) => {
          splitShell(command);
          const check = checkOf({ command, exitCode: 0, output });
          expect(check === undefined || typeof check.passed === "boolean").toBe(true);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("never finds a check in a quoted argument of echo", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const quoted = `'${`pytest; ${text}`.replaceAll("'", "'\\''")}'`;
        expect(checkOf({ command: `echo ${quoted}`, exitCode: 0, output: "" })).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["(", "$(", '"$(', "{ ", "if ", "a=(", "`", "<<E\n", "bash -c '"])(
    "reads 100,000 repetitions of %s in time and without running out of stack",
    (unit) => {
      const from = process.cpuUsage().user;
      checkOf({ command: unit.repeat(100_000), exitCode: 0, output: "" });
      expect(process.cpuUsage().user - from).toBeLessThan(5_000_000);
    },
  );
});
