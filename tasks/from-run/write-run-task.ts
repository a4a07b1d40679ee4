import { mkdir, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { stringify } from "yaml";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import { bringTests } from "../from-git/bring-tests.ts";
import { settingsPattern, type ChangedTests } from "../from-git/read-commit.ts";
import { commandVerifier } from "../scaffold/command-verifier.ts";
import type { DraftedTask } from "../scaffold/drafted-task.ts";
import type { GitObjects } from "../scaffold/git-objects.ts";
import { changePlan, dockerfileFor, patchScript } from "../scaffold/patch-solution.ts";
import { hardenedTaskToml } from "../scaffold/hardened-task-toml.ts";
import { writeTexts } from "../../harness/files/write-new-folder.ts";

export interface RunTaskOptions extends DraftedTask {
  readonly run: string;
  /** What the user asked for. */
  readonly request: string;
  /** Commit with the folder's files as they were. */
  readonly checkpoint: string;
  /** For bash, in the working directory: ends with 0 when the request is met. */
  readonly check: string;
  /** What the solution makes of the checkpoint's tests; without a test the check runs over what the agent leaves. */
  readonly tests: ChangedTests;
  /** From the checkpoint to a state that meets the request; left out where none is known. */
  readonly solution?: RunSolution;
}

export interface RunSolution {
  readonly patch: Buffer;
  /** The files it changes. */
  readonly changed: readonly string[];
  /** A tree of all files as it leaves them. */
  readonly tree: string;
}

/** Writes a task's folder: the files before the run's first change, its request, and the user's check as verifier, over the tests as they should be. */
export async function writeRunTask(folder: string, git: GitObjects, o: RunTaskOptions): Promise<void> {
  await git.writeFiles(o.checkpoint, join(folder, "environment", "app"));
  const { allTests, testsWritten } = o.tests;
  const tested = allTests.length > 0;
  const brought = tested ? await bringTests(folder, git, o.solution?.tree ?? o.checkpoint, o.tests) : { written: [], removed: [] };
  const asked = `this command ends well: \`${o.check.replaceAll(/\s+/g, " ").trim()}\``;
  const verifier = commandVerifier({
    check: "the user's check",
    asked,
    command: o.check,
    timeoutSec: o.timeoutSec,
    ...brought,
    // A configuration of pytest that is not the project's could choose among the tests.
    ...(allTests.some((path) => path.endsWith(".py")) && { stray: settingsPattern }),
  });
  const first = testsWritten.length > 0 ? "replaced by those that come with the change" : "put back as they are now";
  await writeTexts(folder, {
    "task.toml": hardenedTaskToml({
      notes: [`${o.run}, checkpoint ${o.checkpoint}`],
      difficulty: o.difficulty,
      tags: ["from-run"],
      family: o.family,
      split: o.split,
      local: o.image === undefined,
      verifierSec: o.timeoutSec + 60,
    }),
    "instruction.md": `${o.request.trim()}\n\nWhen it is done, ${asked}.${tested ? ` Before it is run, the test files are ${first}.` : ""}\n`,
    "environment/Dockerfile": dockerfileFor(o),
    ...Object.fromEntries(Object.entries(verifier).map(([path, text]) => [`tests/${path}`, text])),
    ...(o.solution && {
      "solution/solve.sh": patchScript("change.patch"),
      "solution/plan.yaml": stringify(changePlan(o.solution.patch, o.solution.changed), { lineWidth: 0 }),
      "solution/wrong/only-says-so.sh": "echo 'The change is made.' >> NOTES.md\n",
      ...(tested && { "solution/wrong/empties-the-tests.sh": emptied(allTests) }),
    }),
  });
  if (!o.solution) return;
  await mkdir(join(folder, "solution"), { recursive: true });
  await writeFile(join(folder, "solution", "change.patch"), o.solution.patch);
}

/** A script that leaves of each test what passes whatever is tested; pytest fails where it finds none. */
const emptied = (tests: readonly string[]): string =>
  tests
    .map((path) => {
      const content = /(^|\/)test_[^/]*\.py$|_test\.py$/.test(path) ? "printf 'def test_nothing():\\n    pass\\n'" : ":";
      return `mkdir -p ${quote(`./${posix.dirname(path)}`)} && ${content} > ${quote(`./${path}`)}\n`;
    })
    .join("");
