import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { hashFolder } from "../../harness/sandbox/workspace/workspace-hash.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { isObject } from "../../harness/json.ts";
import { cutAtWord, plural } from "../../reports/text/format.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { changedTests, looksLikeTest, type ChangedTests } from "../../tasks/from-git/read-commit.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { writeRunTask, type RunSolution } from "../../tasks/from-run/write-run-task.ts";
import { createGitObjects, type GitObjects } from "../../tasks/scaffold/git-objects.ts";
import { settleModes } from "../../tasks/scaffold/settle-modes.ts";
import { nameOfNewTask } from "../../tasks/scaffold/new-task-name.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { evidenceLane } from "../../traces/record/trace-writer.ts";
import { draftOptions } from "./draft-options.ts";
import { lookAtDraft, requireHolding, requireRunner, type Drafted } from "./gate-draft.ts";
import { interruptible } from "../shared/interruptible.ts";
import { namesListed } from "../shared/names-listed.ts";
import { sayTorn } from "../shared/say-torn.ts";
import type { FromRunFlags } from "./options.ts";

interface KeptRun {
  readonly request: string;
  readonly checkpoint: string;
  /** Workspace hash of the folder when the run had ended. */
  readonly tree: string | undefined;
}

/** Carries out `forge task from-run`. */
export async function taskFromRun(run: string, o: FromRunFlags): Promise<void> {
  if (o.check.trim() === "") throw new ConfigError("--check is empty: write the command that ends well when the request is met.");
  const out = o.out ?? `run-${basename(resolve(run)).toLowerCase()}`;
  const name = nameOfNewTask(out);
  const options = draftOptions(o, "from-run");
  // Where runs lie: <folder>/.forge/runs/<run>, with the checkpoints beside them.
  const forge = dirname(dirname(resolve(run)));
  const folder = dirname(forge);
  const { events, torn } = await loadTrace(run);
  sayTorn(run, torn);
  const kept = keptOf(run, events);
  const objects = join(forge, "shadow.git", "objects");
  if (!existsSync(objects))
    throw new CannotError(`${run}: its checkpoint was in ${dirname(objects)}, which is not there. Give the run where forge run left it.`);
  const scratch = await mkdtemp(join(tmpdir(), "forge-from-run-"));
  const make = async (stop: AbortSignal): Promise<{ readonly found: Found; readonly tests: ChangedTests; readonly made: Drafted }> => {
    const git = await createGitObjects(join(scratch, "objects.git"), { objects, signal: stop });
    await git.bytes(["cat-file", "-e", `${kept.checkpoint}^{tree}`]).catch(() => {
      throw new CannotError(`${run}: its checkpoint ${kept.checkpoint.slice(0, 12)} is no longer in ${dirname(objects)}.`);
    });
    const found = o.solution === undefined ? await whatTheRunDid(git, kept, folder) : await patchIn(o.solution, git, kept.checkpoint);
    const tests = await testsOf(git, { from: kept.checkpoint, to: "patch" in found ? found.tree : kept.checkpoint }, o.tests);
    const made = await writeNewFolder(out, async (draft): Promise<Drafted> => {
      await writeRunTask(draft, git, {
        ...options,
        run: basename(resolve(run)),
        ...kept,
        check: o.check,
        tests,
        ...("patch" in found && { solution: found }),
      });
      await settleModes(draft);
      if (o.untried) return { digest: (await loadTask(draft)).digest, sandbox: null };
      const report = await lookAtDraft(draft, o.sandbox, stop);
      requireRunner(report);
      requireHolding(report, "patch" in found ? [] : ["has a solution", "has wrong solutions", "plan"], aboutChanged(tests));
      return report;
    });
    return { found, tests, made };
  };
  try {
    const { found, tests, made } = await interruptible(({ stop }) => make(stop), "nothing was written");
    const solution = "patch" in found ? (o.solution ?? "what the run changed") : null;
    if (o.json) {
      process.stdout.write(
        `${jsonLine({ task: name, folder: out, digest: made.digest, checked: made.sandbox, checkpoint: kept.checkpoint, tests: [...tests.allTests], changed: [...tests.testsWritten], solution, ...("why" in found && { why: found.why }) })}\n`,
      );
      return;
    }
    const checked =
      made.sandbox === null
        ? "not checked"
        : solution === null
          ? `doing nothing fails (${made.sandbox})`
          : `its solution passes, doing nothing fails (${made.sandbox})`;
    process.stdout.write(
      `${out}: ${cutAtWord(oneLine(kept.request), 100)}\n  the state of checkpoint ${kept.checkpoint.slice(0, 12)}; ${checked}\n${aboutTests(tests, o.tests)}\n`,
    );
    if ("why" in found)
      process.stdout.write(
        `It has no solution: ${found.why} Write solution/solve.sh, solution/plan.yaml and a mistake in solution/wrong/.\n`,
      );
    process.stdout.write(`Next: forge task check ${out} --full\n`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function keptOf(run: string, events: readonly RunEvent[]): KeptRun {
  const start = events.find(({ t }) => t === "run.start")?.d;
  const input = start?.["input"];
  const request = isObject(input) ? input["task"] : undefined;
  if (typeof request !== "string" || request.trim() === "")
    throw new CannotError(`${run}: its trace does not say what was asked for. Give the folder of a run of forge run.`);
  const note = events.find(({ t, d }) => t === "note" && typeof d["commit"] === "string")?.d["commit"];
  if (typeof note !== "string" || !/^[0-9a-f]{40,64}$/.test(note))
    throw new CannotError(
      `${run}: no checkpoint was kept: the run changed nothing, was broken off, or is a trial of forge bench, whose task there is already. Give another run.`,
    );
  const tree = events.findLast(({ t, lane }) => t === "fs.snapshot" && lane === evidenceLane)?.d["tree"];
  return { request, checkpoint: note, tree: typeof tree === "string" ? tree : undefined };
}

/** The tests that the check gets. An empty glob asks for none. @throws ConfigError where no file fits the one that was asked for */
async function testsOf(
  git: GitObjects,
  trees: { readonly from: string; readonly to: string },
  asked: string | undefined,
): Promise<ChangedTests> {
  const isTest = asked === undefined ? looksLikeTest : asked === "" ? () => false : nameFilter(`{${namesListed(asked).join(",")}}`);
  const found = await changedTests(git, { ...trees, isTest });
  if (asked !== undefined && asked !== "" && found.allTests.length === 0)
    throw new ConfigError(`--tests "${asked}" fits no file of the run. Name paths within its folder, such as "tests/*", or "" for none.`);
  return found;
}

/** Which tests the check gets, and which it does not. */
function aboutTests(tests: ChangedTests, asked: string | undefined): string {
  if (asked === "") return "No test file is put back, as --tests asks: what the check reads in the folder is as the agent leaves it.";
  if (tests.allTests.length === 0)
    return "No test file was found by its name: what the check reads in the folder is as the agent leaves it. Where it runs tests, name them with --tests.";
  const changed = new Set(tests.testsWritten);
  const same = tests.allTests.filter((path) => !changed.has(path));
  const putBack = `Before the check ${plural(same.length, "test file")} (${someOf(same)}) ${same.length === 1 ? "is" : "are"} put back.`;
  return [...(same.length > 0 ? [putBack] : []), aboutChanged(tests)].join(" ").trim();
}

/** A sentence on tests of which the request may say nothing. */
const aboutChanged = ({ testsWritten }: ChangedTests): string =>
  testsWritten.length === 0
    ? ""
    : `The check gets ${someOf(testsWritten)} as the solution leaves ${testsWritten.length === 1 ? "it" : "them"}, which the agent does not see; where writing tests is what is asked for, name the others with --tests.`;

const someOf = (paths: readonly string[]): string => oneLine(paths.slice(0, 3).join(", ")) + (paths.length > 3 ? ", …" : "");

/** A solution, or why there is none. */
type Found = RunSolution | { readonly why: string };

/** The way from the checkpoint to the folder, where that is still as the run left it; else why it is not known. */
async function whatTheRunDid(git: GitObjects, { checkpoint, tree }: KeptRun, folder: string): Promise<Found> {
  if (tree === undefined) return { why: "the run's end was not recorded." };
  const now = await hashFolder(folder);
  if (now.hash !== tree) return { why: `${folder} has changed since the run ended.` };
  const end = await git.treeOf(folder, [".forge/"]);
  const patch = await git.diff(checkpoint, end);
  const names = await git.bytes(["diff", "-z", "--name-only", "--no-renames", checkpoint, end]);
  const changed = names
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "");
  return changed.length === 0 ? { why: "the run left everything as it was." } : { patch, changed, tree: end };
}

async function patchIn(path: string, git: GitObjects, checkpoint: string): Promise<RunSolution> {
  const patch = await readFile(path).catch(() => {
    throw new ConfigError(`--solution: ${path} cannot be read. Name a patch as git diff writes it.`);
  });
  const changed = [...patch.toString("latin1").matchAll(/^diff --git a\/(\S+) /gm)].map(([, name = ""]) => name);
  if (changed.length === 0) throw new ConfigError(`--solution: ${path} is no patch as git diff writes it.`);
  const tree = await git.patched(checkpoint, resolve(path)).catch(() => {
    throw new ConfigError(`--solution: ${path} does not apply to the files as the run found them. Make the patch from those.`);
  });
  return { patch, changed, tree };
}
