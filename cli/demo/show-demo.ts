import { createReadStream, existsSync, readdirSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import pc from "picocolors";
import tar from "tar-stream";
import { unpackArchive } from "../../evals/archive/unpack-archive.ts";
import { CannotError, ConfigError, DamagedError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { packageRoot } from "../../harness/package/package-root.ts";
import { writeNewFolder } from "../../harness/files/write-new-folder.ts";
import { analysisOf, analyzeRuns } from "../analyze/analyze-runs.ts";
import { recordedAnalyst } from "../analyze/recorded-analyst.ts";
import { comparedJobs, compareJobs } from "../compare/compare-jobs.ts";
import { askDry, dryReplay } from "../replay/dry-replay.ts";
import { interruptible } from "../shared/interruptible.ts";
import { replay, replayed } from "../replay/replay-runs.ts";
import { reportJobs, writePage } from "../report/report-jobs.ts";
import type { StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { jobLockSchema } from "../../evals/job/job-lock.ts";
import { jobFolder } from "../../evals/job/job-folder.ts";
import { jobReport } from "../../evals/report/job-report.ts";
import { analysisAtAGlance, comparisonAtAGlance } from "../../reports/terminal/at-a-glance.ts";
import { blastAtAGlance } from "../../reports/terminal/blast-radius.ts";
import { pageWidth } from "../../reports/text/display-width.ts";
import { duration, plural } from "../../reports/text/format.ts";
import { forgeWord } from "../../reports/text/next-steps.ts";
import { hanging, wrapped } from "../../reports/text/wrapped.ts";
import type { DemoFlags } from "./options.ts";

const maxBytes = 200e6;

/** Where the package keeps the recorded job, and the change that is tried on it. */
export const demoFolder = (): string => join(packageRoot(), "cli", "demo");

/** What is shown of the demonstration, and under which numbers: `npm start` puts a bench of its own before it. */
interface Shown {
  readonly first?: number;
  /** How the command is typed. */
  readonly forge?: string;
}

/**
 * Carries out `forge demo`: compare, replay, analyze and a dry replay on real runs that come with Forge, the result of each in a few lines. Answers the
 * exit code: that of the replay, since a verdict, whatever it is, is an answer.
 */
export async function showDemo({ out, all }: DemoFlags, { first = 1, forge = forgeWord() }: Shown = {}): Promise<number> {
  const archive = join(demoFolder(), "recorded.tar.gz");
  if (!existsSync(archive)) throw new CannotError("The recorded runs are not here (cli/demo/recorded.tar.gz); install the package again.");
  await interruptible(({ stop }) => unpackDemo(archive, out, stop), "nothing was written");
  if (all) return showWhole(out);
  const [job, change, store, page] = ["job", "change.yaml", "issues", "report.html"].map((name) => join(out, name)) as [
    string,
    string,
    string,
    string,
  ];
  const step = steps(first);
  step("Compare", await aboutJob(job));
  const { sources, baselineJob, report } = await comparedJobs([job], {});
  tell([
    ...comparisonAtAGlance(report, room()),
    wrapped(
      "Easy tasks whose text names the way, one small model: the result is about this harness and this model, no other. Our own default harness hurts it; the next steps show why.",
      "",
      room(),
    ),
  ]);
  await writePage(page, await jobReport(sources.jobs, report, { imported: [], baselineJob }));
  step("Replay", "every recorded run again, its middleware re-run, no model");
  const began = Date.now();
  const { counts, total, exitCode } = await replayed([job], {});
  const others = [...counts].filter(([verdict]) => verdict !== "exact").map(([verdict, count]) => `, ${count} ${verdict}`);
  tell([`${counts.get("exact") ?? 0} of ${total} exact${others.join("")}   ${duration(Date.now() - began)}`]);
  const failed = report.arms.reduce((sum, arm) => sum + arm.trials - arm.unscored - arm.passed, 0);
  step("Analyze", `rules and contrast over the ${failed} failed runs, no model`);
  tell(analysisAtAGlance(await analysisOf([job], store), room()));
  step("What if", `${change}, on the same runs, as far as the recordings show; nothing is run`);
  tell(blastAtAGlance((await askDry([job], { config: change })).result, room()));
  say(`\n${nextSteps(forge, { job, store, page })}`);
  return exitCode;
}

const nextSteps = (forge: string, { job, store, page }: { readonly job: string; readonly store: string; readonly page: string }): string =>
  [
    ["Look around", `${forge} view ${job}`],
    ["", `${page} is the comparison as a page`],
    ["In full", `${forge} demo --all --out FOLDER, or a command each:`],
    ["", `${forge} compare ${job} --all`],
    ["", `${forge} issues --store ${store}`],
    ["Your harness", "docs/tutorial.md: a middleware of your own, measured in 15 minutes without a key"],
    ["Every day", `${forge} run "make the failing test pass"`],
  ]
    .map(
      ([what = "", how = ""]) =>
        what.padEnd(indent.length + 2) +
        (indent.length + 2 + how.length > width() ? how.replace(" --model", ` \\\n${indent}    --model`) : how),
    )
    .join("\n");

const indent = " ".repeat(13);

/** Numbered steps: `2  Replay    every recorded run again`. */
function steps(first: number): (name: string, why: string) => void {
  let n = first;
  return (name, why) => say(`${n === 1 ? "" : "\n"}${pc.bold(`${n++}  ${name.padEnd(10)}`)}${wrapped(why, indent, width()).trimStart()}`);
}

/** Below its step, as wide as the terminal is. */
const tell = (lines: readonly string[]): void =>
  say(
    lines
      .join("\n")
      .split("\n")
      .flatMap((line) => hanging(line, room()).split("\n"))
      .map((line) => (line === "" ? line : indent + line))
      .join("\n"),
  );
const width = pageWidth;
const room = (): number => width() - indent.length;

/** The same with each command's own output. */
async function showWhole(out: string): Promise<number> {
  const [job, analyst, change] = [join(out, "job"), join(out, "analyst"), join(out, "change.yaml")];
  const [page, store] = [join(out, "report.html"), join(out, "issues")];
  say(await aboutJob(job));
  command(`compare ${job}`, "which of them is better, and how sure that is");
  await compareJobs([job], {});
  command(`replay ${job}`, "every run again, with its own middleware, and no model");
  const exitCode = await replay([job], {});
  command(
    `analyze ${job} --recorded ${analyst} --store ${store}`,
    "why runs failed, and what to change: rules, contrast, and an analyst that read the failed runs; its replies were written by hand for this tour and measure no model",
  );
  const { issues } = await analyzeRuns([job], { store }, await recordedAnalyst(analyst));
  command(`replay ${analyst}`, "every conversation of the analyst again, with its own tools, and no model");
  const read = await replay([analyst], {});
  command(
    `replay dry --config ${change} ${job}`,
    "where a small change would have acted in these runs, as far as the recordings show, free of charge",
  );
  await dryReplay([job], { config: change });
  command(`report ${job} --html ${page}`, "the same as a page");
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
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new ConfigError(`${out}: the folder is not empty. Name another one with --out, or remove it.`);
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
const command = (line: string, why: string): void => say(`\n${pc.bold(`$ forge ${line}`)}\n${pc.dim(wrapped(why, "# ", width()))}`);

/** What was benched in a job: `96 recorded trials of local/qwen2.5-coder-1.5b-instruct: 16 easy tasks × bare-text and standard-text × 3`. */
async function aboutJob(folder: string): Promise<string> {
  const { tasks, configurations, repeats } = jobLockSchema.parse(JSON.parse(await readFile(jobFolder(folder).lock, "utf8")));
  const names = Object.keys(configurations);
  const models = new Set(Object.values(configurations).map(({ model }) => model.name));
  const n = Object.keys(tasks).length;
  return oneLine(
    `${n * names.length * repeats} recorded trials of a real 1.5B model (${[...models].join(", ")}): ${plural(n, "easy task")} × ${plural(names.length, "harness", "harnesses")} × ${plural(repeats, "repeat")}`,
  );
}
