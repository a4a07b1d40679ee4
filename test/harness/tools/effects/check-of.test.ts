import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkOf } from "../../../../harness/tools/effects/checks/check-of.ts";
import { splitShell } from "../../../../harness/tools/effects/checks/split-shell.ts";
import { costsOf } from "../../../grows-with-its-input.ts";

const verdict = (command: string, exitCode: number | null = 0, output = ""): string | undefined =>
  checkOf({ command, exitCode, output })?.result;

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
    expect(verdict(command, 0)).toBe("passed");
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

  it.each(["pytest", "cd x && pytest", "timeout 5 pytest", "pytest && echo ok", "(pytest)", 'bash -c "pytest"'])(
    "has failed with exit code 1: %s",
    (command) => {
      expect(verdict(command, 1)).toBe("failed");
    },
  );

  it("is unknown when its time ran out, unless it said before that it failed", () => {
    expect(checkOf({ command: "pytest", exitCode: null, output: "" })).toEqual({ command: "pytest", result: "unknown", why: "timeout" });
    expect(verdict("pytest", null, "1 failed, 2 passed in 3.00s\n")).toBe("failed");
    expect(checkOf({ command: "timeout 5 pytest", exitCode: 124, output: "" })).toMatchObject({ result: "unknown", why: "signal" });
  });

  it("is unknown where what failed may have come before it or after it", () => {
    expect(checkOf({ command: "pip install x && pytest", exitCode: 1, output: "" })).toMatchObject({ result: "unknown", why: "chain" });
    expect(verdict("pip install x && pytest", 1, "1 failed in 0.1s\n")).toBe("failed");
    expect(verdict("pytest && ./deploy", 1)).toBe("unknown");
    expect(verdict("npm run build && npx playwright-less-tool", 1)).toBe("unknown");
    expect(verdict("cp a b && pytest", 1, "cp: cannot stat 'a'")).toBe("unknown");
    expect(verdict("cp a b && pytest", 1, "1 error in 0.1s")).toBe("failed");
  });

  it("has passed where the chain came to the next runner", () => {
    expect(checkOf({ command: "tsc && npx vitest run", exitCode: 1, output: "Tests  1 failed | 2 passed (3)\n" })).toEqual({
      command: "npx vitest run",
      result: "failed",
    });
  });

  it("is named with its neighbours where one of them failed and nobody can say which", () => {
    expect(checkOf({ command: "npm run build && npm test", exitCode: 1, output: "Tests  1 failed | 2 passed (3)\n" })).toEqual({
      command: "npm run build && npm test",
      result: "failed",
    });
  });

  it.each([
    ["python -m pytest", 1, "/usr/bin/python: No module named pytest\n"],
    ["npm test", 1, 'npm error Missing script: "test"\n'],
    ["npx vitest run a.test.ts", 1, "No test files found, exiting with code 1\n"],
    ["npx jest a", 1, "No tests found, exiting with code 1\n"],
    ["pnpm vitest run", 254, ' ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "vitest" not found\n'],
    ["cd no-such && npx tsc --noEmit", 1, "bash: line 1: cd: no-such: No such file or directory\n"],
    ["make test", 2, "make: *** No rule to make target 'test'.  Stop.\n"],
    ["pnpm vitest run", 1, "\u2009ERROR\u2009 This project is configured to use npm\nFor help, run: pnpm help run\n"],
    [
      "pnpm test -- --run",
      1,
      "> vitest run\n\nsh: 1: vitest: not found\n\u2009ELIFECYCLE\u2009 Test failed. See above for more details.\n",
    ],
    ["pytest | tail", 0, "bash: line 1: pytest: command not found\n"],
    ["python test_a.py", 2, "python: can't open file '/w/test_a.py': [Errno 2] No such file or directory\n"],
    ["npm test -- --runInBand", 1, "CACError: Unknown option `--runInBand`\n"],
  ])("could not begin, and so is none: %s", (command, code, output) => {
    expect(verdict(command, code, output)).toBeUndefined();
  });

  it("is read from the exit code that the command line prints itself", () => {
    expect(verdict('make 2>&1 | tail -20; echo "exit ${PIPESTATUS[0]}"', 0, "cc -c a.c\nexit 0\n")).toBe("passed");
    expect(verdict('make 2>&1 | tail -20; echo "exit ${PIPESTATUS[0]}"', 0, "cc -c a.c\nexit 2\n")).toBe("failed");
    expect(verdict("cd x && pytest; echo EXIT: $?", 0, "..\nEXIT: 0\n")).toBe("passed");
    expect(verdict("make 2>&1 | tail -20; echo $?", 0, "cc -c a.c\n0\n")).toBe("unknown"); // that is tail's
  });

  it("is passed where a runner that is silent when all is well was silent through a pipe", () => {
    expect(verdict("npx tsc --noEmit 2>&1 | head -20", 0, "")).toBe("passed");
    expect(verdict("npx tsc --noEmit 2>&1 | grep src/a.ts", 0, "")).toBe("unknown");
    expect(verdict("make 2>&1 | tail -20", 0, "")).toBe("unknown");
  });

  it("is unknown where its exit code and its own words disagree", () => {
    expect(checkOf({ command: "npm test", exitCode: 0, output: "Tests:  1 failed, 2 passed, 3 total\n" })).toMatchObject({
      result: "unknown",
      why: "contradicted",
    });
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
    expect(verdict(command, 0, "..\n==== 2 passed in 0.01s ====\n")).toBe("passed");
    expect(verdict(command, 0, "F.\n==== 1 failed, 1 passed in 0.01s ====\n")).toBe("failed");
    expect(verdict(command, 0, "2 passed, 1 warning in 0.01s\n")).toBe("passed");
    expect(verdict(command, 0, "1 error in 0.05s")).toBe("failed");
    expect(checkOf({ command, exitCode: 0, output: "" })).toEqual({ command: "pytest", result: "unknown", why: "masked" });
    expect(verdict(command, 0, "all tests passed, honest")).toBe("unknown");
  });

  it("keeps its exit code through a pipe with pipefail, and through `;` with set -e", () => {
    expect(verdict("set -o pipefail; pytest | tail", 0)).toBe("passed");
    expect(verdict("set -eo pipefail\npytest | tail\necho done", 0)).toBe("passed");
    expect(verdict("set -o pipefail; pytest | tail", 1)).toBe("failed");
    expect(verdict("set -e; pytest; echo done", 0)).toBe("passed");
    expect(verdict("pytest; echo done", 0)).toBe("unknown");
  });

  it("may not have run behind || or in the background, so that without a summary it is none", () => {
    expect(verdict("true || pytest", 0)).toBeUndefined();
    expect(verdict("pytest &", 0)).toBeUndefined();
    expect(verdict("false || pytest", 0, "3 passed in 1.00s")).toBe("passed");
  });

  it("that ran no tests checked nothing", () => {
    expect(verdict("pytest", 5, "no tests ran in 0.01s")).toBeUndefined();
    expect(verdict("python -m unittest", 0, "\nRan 0 tests in 0.000s\n\nOK\n")).toBeUndefined();
    expect(verdict("node --test", 0, "# pass 0\n# fail 0\n")).toBeUndefined();
  });

  it("passes with several runners only when each did, and names the one that did not", () => {
    expect(checkOf({ command: "ruff check . && pytest -q", exitCode: 0, output: "" })).toEqual({ command: "pytest -q", result: "passed" });
    expect(checkOf({ command: "make; pytest -q", exitCode: 0, output: "" })).toEqual({ command: "make", result: "unknown", why: "masked" });
    expect(checkOf({ command: "make && pytest -q", exitCode: 2, output: "1 failed, 2 passed in 0.1s" })).toMatchObject({
      result: "failed",
    });
  });

  it.each([
    ["python -m unittest | tail", "Ran 3 tests in 0.001s\n\nOK\n", "passed"],
    ["python -m unittest | tail", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)\n", "failed"],
    ["node --test | tail", "# tests 2\n# pass 2\n# fail 0\n", "passed"],
    ["node --test | tail", "ℹ pass 1\nℹ fail 1\n", "failed"],
    ["npm test | tail", "Tests:       2 passed, 2 total\n", "passed"],
    ["npm test | tail", "Tests:       1 failed, 1 passed, 2 total\n", "failed"],
    ["npx vitest run | tail", "      Tests  3 passed (3)\n", "passed"],
    ["npx mocha | tail", "  3 passing (5ms)\n  1 failing\n", "failed"],
    ["go test ./... | tail", "ok  \texample.com/a\t0.003s\n", "passed"],
    ["go test ./... | tail", "--- FAIL: TestA\nFAIL\n", "failed"],
    ["cargo test | tail", "test result: ok. 3 passed; 0 failed;\n", "passed"],
    ["cargo test | tail", "test result: ok. 1 passed\ntest result: FAILED. 0 passed\n", "failed"],
    ["ctest | tail", "100% tests passed, 0 tests failed out of 4\n", "passed"],
    ["ctest | tail", "50% tests passed, 2 tests failed out of 4\n", "failed"],
    ["mvn test | tail", "[INFO] BUILD SUCCESS\n", "passed"],
    ["./gradlew test | tail", "BUILD FAILED in 3s\n", "failed"],
    ["mypy . | tail", "Success: no issues found in 3 source files\n", "passed"],
    ["tsc | head", "a.ts(1,2): error TS2304: Cannot find name\n", "failed"],
    ["ruff check | head", "All checks passed!\n", "passed"],
    ["npx vitest run | tail", " Test Files  1 failed | 3 passed (4)\n      Tests  9 passed (9)\n", "failed"],
    ["npx vitest run | tail", "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m70 passed\u001b[39m\u001b[22m (70)\n", "passed"],
    ["npm test | grep FAIL", " FAIL  src/a.test.ts > adds\n", "failed"],
    ["pnpm test | head", " ELIFECYCLE  Command failed with exit code 1.\n", "failed"],
    ["npm test | grep failed", "0 failed, 3 passed\n", "unknown"],
    ["make 2>&1 | tail -20", "cc -o a a.c\n", "unknown"],
    ["make 2>&1 | tail -20", "make: Nothing to be done for 'all'.\n", "passed"],
    ["make 2>&1 | tail -20", "a.c:3:5: error: expected ';'\nmake: *** [Makefile:2: a] Error 1\n", "failed"],
    ["cmake --build . | tail -2", "ninja: build stopped: subcommand failed.\n", "failed"],
    ["cargo build 2>&1 | tail -3", "    Finished `dev` profile in 0.4s\n", "passed"],
    ["npx eslint . | tail", "\u2716 3 problems (0 errors, 3 warnings)\n", "passed"],
  ])("reads the summary of %s: %j", (command, output, result) => {
    expect(verdict(command, 0, output)).toBe(result);
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
          expect(["passed", "failed", "unknown", undefined]).toContain(check?.result);
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
      const { fourfold, most } = costsOf((times) => void checkOf({ command: unit.repeat(times), exitCode: 0, output: "" }), 25_000);
      expect(fourfold).toBeLessThan(most);
    },
  );
});
