import { createReadStream, existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import pc from "picocolors";
import tar from "tar-stream";
import { unpackArchive } from "../../evals/archive/unpack-archive.ts";
import { CannotError, DamagedError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { packageRoot } from "../../harness/package/package-root.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import { analyzeRuns } from "../analyze/analyze-runs.ts";
import { recordedAnalyst } from "../analyze/recorded-analyst.ts";
import { compareJobs } from "../compare/compare-jobs.ts";
import { dryReplay } from "../replay/dry-replay.ts";
import { interruptible } from "../shared/interruptible.ts";
import { replay } from "../replay/replay-runs.ts";
import { reportJobs } from "../report/report-jobs.ts";
import type { StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { jobLockSchema } from "../../evals/job/job-lock.ts";
import { jobFolder } from "../../evals/job/job-folder.ts";
import { plural } from "../../reports/text/format.ts";
import type { DemoFlags } from "./options.ts";

const maxBytes = 200e6;

/** Where the package keeps the recorded job, and the change that is tried on it. */
export const demoFolder = (): string => join(packageRoot(), "cli", "demo");

/**
 * Carries out `forge demo`: the commands of every day on real runs that come with Forge, each shown before it runs. Answers the exit code: that of
 * the replay, since a verdict, whatever it is, is an answer.
 */
export async function showDemo({ out }: DemoFlags): Promise<number> {
  const archive = join(demoFolder(), "recorded.tar.gz");
  if (!existsSync(archive)) throw new CannotError("The recorded runs are not here (cli/demo/recorded.tar.gz); install the package again.");
  await interruptible(({ stop }) => unpackDemo(archive, out, stop), "nothing was written");
  const [job, analyst, change] = [join(out, "job"), join(out, "analyst"), join(out, "change.yaml")];
  const [page, store] = [join(out, "report.html"), join(out, "issues")];
  say(await aboutJob(job));
  step(`compare ${job}`, "which of them is better, and how sure that is");
  await compareJobs([job], {});
  step(`replay ${job} --brief`, "every run again, with its own middleware, and no model");
  const exitCode = await replay([job], { brief: true });
  step(
    `analyze ${job} --recorded ${analyst} --store ${store}`,
    "why runs failed, and what to change: rules, contrast, and an analyst that read the failed runs; its replies were written by hand for this tour and measure no model",
  );
  const { issues } = await analyzeRuns([job], { store }, await recordedAnalyst(analyst));
  step(`replay ${analyst} --brief`, "every conversation of the analyst again, with its own tools, and no model");
  const read = await replay([analyst], { brief: true });
  step(
    `replay dry --config ${change} ${job}`,
    "where a small change would have acted in these runs, so far as the recordings can tell, free of charge",
  );
  await dryReplay([job], { config: change });
  step(`report ${job} --html ${page}`, "the same as a page");
  await reportJobs([job], { html: page });
  say(
    `\nTry next:\n${next(
      job,
      store,
      issues.find(({ keys }) => keys.every(isAnalysts)),
    ).join("\n")}`,
  );
  return Math.max(exitCode, read);
}

/** A shape of the analyst's: kind, detector, mechanism. */
const isAnalysts = (key: string): boolean => (JSON.parse(key) as readonly unknown[])[1] === "analyst"; // as `shapeKey` makes it

const next = (job: string, store: string, alone: StoredIssue | undefined): string[] => [
  `  forge issues --store ${store}   the suggested changes, one after the other, to accept or reject`,
  ...(alone ? [`  forge issues show ${alone.number} --store ${store}   what the analyst alone sees, with the places that show it`] : []),
  `  forge traces list ${job}        the runs; forge traces show shows one turn by turn`,
  "  forge bench --agent oracle             the built-in suite with its reference solutions",
  '  forge run "make the failing test pass" the same agent in your own repository',
];

async function unpackDemo(archive: string, out: string, signal: AbortSignal): Promise<void> {
  await writeNewFolder(out, async (draft) => {
    const job = join(draft, "job");
    await mkdir(job);
    const { changed } = await unpackArchive(archive, job, { maxBytes, signal });
    if (changed.length > 0)
      throw new DamagedError(`${archive} is not as it was made: ${oneLine(changed[0] ?? "")} has changed. Install the package again.`);
    await copyFile(join(demoFolder(), "change.yaml"), join(draft, "change.yaml"));
    await unpackConversations(join(demoFolder(), "analyst.tar.gz"), join(draft, "analyst"));
  });
}

/** The recorded conversations of the analyst: files of this package. */
async function unpackConversations(archive: string, folder: string): Promise<void> {
  const extract = tar.extract();
  const read = pipeline(createReadStream(archive), createGunzip(), extract);
  for await (const entry of extract) {
    const path = join(folder, entry.header.name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await buffer(entry));
  }
  await read;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const step = (command: string, why: string): void => say(`\n${pc.bold(`$ forge ${command}`)}\n${pc.dim(`# ${why}`)}`);

/** What was benched in a job, in a sentence. */
async function aboutJob(folder: string): Promise<string> {
  const { tasks, configurations, repeats, agent } = jobLockSchema.parse(JSON.parse(await readFile(jobFolder(folder).lock, "utf8")));
  const names = Object.keys(configurations);
  const models = new Set(Object.values(configurations).map(({ model }) => model.name));
  const [n, trials] = [Object.keys(tasks).length, Object.keys(tasks).length * names.length * repeats];
  const by = agent === "configured" ? `a real model (${[...models].join(", ")})` : `the ${agent} agent`;
  return oneLine(
    `${plural(trials, "trial")} of ${by}: ${plural(n, "task")} × ${names.join(" and ")} × ${plural(repeats, "repeat")}, recorded in containers.`,
  );
}
