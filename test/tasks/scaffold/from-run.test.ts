import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { changedTests, looksLikeTest } from "../../../tasks/from-git/read-commit.ts";
import { writeRunTask } from "../../../tasks/from-run/write-run-task.ts";
import { createGitObjects } from "../../../tasks/scaffold/git-objects.ts";
import { needs } from "../../needs.ts";
import { createTaskRunner, endOtherwise } from "../run-task.ts";

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-from-run-test-"))));
afterAll(() => rm(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

/** A task of a run that found these files, changed some of them, and is checked by pytest. */
async function taskOf(before: Files, change: Files) {
  const place = await mkdtemp(join(root, "run-"));
  const work = join(place, "work");
  const put = async (files: Files): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await writeFile(join(work, path), text);
    }
  };
  const git = await createGitObjects(join(place, "objects.git"));
  await put(before);
  const checkpoint = await git.treeOf(work, []);
  await put(change);
  const tree = await git.treeOf(work, []);
  const patch = await git.diff(checkpoint, tree);
  const folder = join(place, "task");
  await writeRunTask(folder, git, {
    setup: [],
    difficulty: "easy",
    family: "mine",
    split: "train",
    timeoutSec: 60,
    run: "20260105T101500-1",
    request: "Mend it.",
    checkpoint,
    check: "python3 -m pytest -q",
    tests: await changedTests(git, { from: checkpoint, to: tree, isTest: looksLikeTest }),
    solution: { patch, changed: Object.keys(change), tree },
  });
  return createTaskRunner(await loadTask(folder), createDockerProvider());
}

describe.skipIf(needs("docker") || needs("git"))("a task of a run checked by pytest", () => {
  const test = "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\ndef test_none():\n    assert add(2, 0) == 2\n";
  const before = { "pytest.ini": "[pytest]\n", "sums.py": "def add(a, b):\n    return a\n", "tests/test_sums.py": test };
  const change = { "sums.py": "def add(a, b):\n    return a + b\n" };

  it("is solved by what the run did, and not by other tests or settings that choose among them", { timeout: 240_000 }, async () => {
    const runner = await taskOf(before, { ...change, "setup.cfg": "[metadata]\nname = sums\n" });
    const otherwise = await endOtherwise(runner, [
      [true, 'bash "$SOLVE"'],
      [true, `bash "$SOLVE"; rm -r tests; printf 'def test_of_mine():\\n    pass\\n' > test_mine.py`],
      [false, `printf 'def test_add():\\n    pass\\n' > tests/test_sums.py`],
      [false, "rm -r tests && mkdir tests && ln -s /dev/null tests/test_sums.py"],
      [false, "printf '[pytest]\\naddopts = -k test_none\\n' > pytest.ini"],
      [false, "printf 'def pytest_collection_modifyitems(items):\\n    del items[0]\\n' > tests/conftest.py"],
      [false, "printf 'def pytest_collection_modifyitems(items):\\n    del items[0]\\n' > conftest.py"],
      [false, { type: "wrong", name: "empties-the-tests" }],
    ]);
    expect(otherwise).toEqual([]);
  });

  it("is verified by tests and settings as the run left them where it changed them", { timeout: 240_000 }, async () => {
    const other = { "pytest.ini": "[pytest]\npython_functions = check_*\n", "sums.py": "def plus(a, b):\n    return a\n" };
    const runner = await taskOf(
      { ...before, ...other, "tests/test_sums.py": "" },
      { ...change, "pytest.ini": "[pytest]\n", "tests/test_sums.py": test },
    );
    const otherwise = await endOtherwise(runner, [
      [true, 'bash "$SOLVE"'],
      [true, "printf 'def add(a, b):\\n    return b + a\\n' > sums.py"],
      [false, "true"],
      [false, `printf 'def test_add():\\n    pass\\n' > tests/test_sums.py`],
    ]);
    expect(otherwise).toEqual([]);
  });
});
