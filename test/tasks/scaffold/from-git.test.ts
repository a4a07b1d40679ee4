import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import type { SandboxProvider } from "../../../harness/sandbox/provider.ts";
import { createBubblewrapProvider } from "../../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { looksLikeTest, readCommit } from "../../../tasks/from-git/read-commit.ts";
import { testCommand } from "../../../tasks/from-git/test-command.ts";
import { writeGitTask } from "../../../tasks/from-git/write-git-task.ts";
import { createGitObjects } from "../../../tasks/scaffold/git-objects.ts";
import { needs } from "../../needs.ts";
import { createTaskRunner, endOtherwise } from "../run-task.ts";

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-from-git-test-"))));
afterAll(() => rm(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

/** A repository with one commit for each state, all of whose files are there. */
async function repositoryOf(...states: readonly Files[]): Promise<string> {
  const folder = await mkdtemp(join(root, "repository-"));
  const git = (...args: string[]): Buffer =>
    execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args]);
  git("init", "-q");
  for (const [i, files] of states.entries()) {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", `State ${i}`);
  }
  return folder;
}

async function taskOf(repository: string, provider: SandboxProvider) {
  const git = await createGitObjects(join(await mkdtemp(join(root, "git-")), "objects.git"));
  const change = await readCommit(git, { repository, revision: await git.named(repository, "HEAD"), isTest: looksLikeTest });
  const folder = join(await mkdtemp(join(root, "made-")), "task");
  await writeGitTask(folder, git, {
    setup: [],
    difficulty: "easy",
    family: "mine",
    split: "train",
    timeoutSec: 60,
    repository: "project",
    change,
    command: testCommand(change.testsWritten, undefined),
  });
  return { folder, runner: await createTaskRunner(await loadTask(folder), provider) };
}

const sandboxed = (["bubblewrap", "git", "python3"] as const).some((tool) => needs(tool));

describe.skipIf(needs("docker") || needs("git"))("a task of a commit with pytest", () => {
  const wrong = { "pyproject.toml": "[project]\nname = 'sums'\n", "sums.py": "def add(a, b):\n    return a\n" };
  const right = { "sums.py": "def add(a, b):\n    return a + b\n", "tests/test_sums.py": "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_none():\n    assert add(2, 0) == 2\n" }; // prettier-ignore

  it("is solved by its change and its plan, and not by settings that choose among the tests", { timeout: 120_000 }, async () => {
    const { runner } = await taskOf(await repositoryOf(wrong, right), createDockerProvider());
    const chosen = "-k test_none";
    const otherwise = await endOtherwise(runner, [
      [true, 'bash "$SOLVE"'],
      [true, `bash "$SOLVE"; printf '[pytest]\\naddopts = --no-such-option\\n' > pytest.ini`],
      [false, `printf '[pytest]\\naddopts = ${chosen}\\n' > pytest.ini`],
      [false, `printf '[tool.pytest.ini_options]\\naddopts = "${chosen}"\\n' >> pyproject.toml`],
      [false, `printf 'def pytest_collection_modifyitems(items):\\n    del items[0]\\n' > conftest.py`],
      [true, { type: "plan" }],
    ]);
    expect(otherwise).toEqual([]);
  });

  it("keeps the project's own settings, those that the commit brings too", async () => {
    const settings = { "pytest.ini": "[pytest]\npython_functions = check_*\n", "conftest.py": "" };
    const checks = { "tests/test_sums.py": "from sums import add\n\n\ndef check_add():\n    assert add(1, 2) == 3\n" };
    const { runner, folder } = await taskOf(await repositoryOf(wrong, { ...right, ...checks, ...settings }), createDockerProvider());
    const solved = await runner.run({ type: "oracle" });
    expect(solved.passed, solved.detail).toBe(true);
    expect(await readFile(join(folder, "tests", "given", "pyproject.toml"), "utf8")).toBe(wrong["pyproject.toml"]);
  });
});

describe.skipIf(sandboxed)("a task of a commit with tests of node", () => {
  const test = `const { test } = require("node:test");\nconst { equal } = require("node:assert");\nconst { add } = require("./sums.js");\ntest("adds", () => equal(add(1, 2), 3));\n`;

  it("is solved by its change, and not by a program that ends before a test", { timeout: 120_000 }, async () => {
    // Before the commit there is no file at all.
    const { runner } = await taskOf(
      await repositoryOf({}, { "sums.js": "exports.add = (a, b) => a + b;\n", "sums.test.js": test }),
      createBubblewrapProvider(),
    );
    for (const [passes, script] of [
      [true, 'bash "$SOLVE"'],
      [false, "echo 'process.exit(0)' > sums.js"],
      [false, "echo 'exports.add = (a) => a' > sums.js"],
    ] as const) {
      const { passed, detail } = await runner.run({ type: "shell", script });
      expect(passed, `${script}\n${detail}`).toBe(passes);
    }
  });
});

describe.skipIf(needs("git"))("git objects", () => {
  it("do not heed variables of git that name another repository, index or program", async () => {
    const repository = await repositoryOf({ a: "one\n" }, { a: "two\n" });
    vi.stubEnv("GIT_EXTERNAL_DIFF", "false");
    vi.stubEnv("GIT_DIR", join(root, "nowhere"));
    vi.stubEnv("GIT_OBJECT_DIRECTORY", join(root, "nowhere"));
    vi.stubEnv("GIT_CONFIG_PARAMETERS", "'diff.noprefix'='true'");
    try {
      const git = await createGitObjects(join(root, "variables.git"));
      const commit = await git.named(repository, "HEAD");
      await git.bytes(["fetch", "--quiet", repository, commit]);
      expect((await git.diff(`${commit}~1`, commit)).toString()).toContain("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("compare more files than a command line holds", async () => {
    const gitDir = join(root, "many.git");
    const git = await createGitObjects(gitDir);
    const paths = Array.from({ length: 800 }, (_, i) => `${`${"d".repeat(250)}/`.repeat(12)}${i}`);
    const commit = (state: number): string =>
      `commit refs/heads/main\ncommitter A <a@example.org> ${state} +0000\ndata 1\nx\n${paths.map((path) => `M 644 inline ${path}\ndata 2\n${state}\n\n`).join("")}`;
    execFileSync("git", ["--git-dir", gitDir, "fast-import", "--quiet"], { input: commit(1) + commit(2) });
    const patch = (await git.diff("main~1", "main", paths)).toString();
    expect(patch.match(/^diff --git /gm)).toHaveLength(800);
  });

  it("say an address without its password where it cannot be fetched", async () => {
    const git = await createGitObjects(join(root, "address.git"));
    const asked = { repository: "http://ada:secret-token@127.0.0.1:9/none.git", revision: "main", isTest: looksLikeTest };
    const refused = readCommit(git, asked);
    await expect(refused).rejects.toThrow("http://127.0.0.1:9/none.git, commit main: git could not fetch it");
    await expect(refused).rejects.not.toThrow("secret-token");
  });
});
