import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { developRuns, type DevelopRuns } from "../../analyzer/improve/develop-runs.ts";
import { improve, readPlan } from "../../analyzer/improve/improve.ts";
import type { Answer, Improvement } from "../../analyzer/improve/improvement.ts";
import { plannedHalfWidth, trialsOfPlan, type PlanFile } from "../../analyzer/improve/improvement-plan.ts";
import { inStore, issuesIn, writeIssue } from "../../analyzer/issues/issue-store.ts";
import { completeIssue } from "../../analyzer/gate/decide.ts";
import { ConfigError } from "../../harness/errors.ts";
import { writeWhole } from "../../harness/files/write-json.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { improvementPage } from "../../reports/html/improvement-page.ts";
import { improvementMarkdown } from "../../reports/markdown/improvement.ts";
import { describeImprovement, describeImprovementPlan } from "../../reports/terminal/improvement.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { benchJob } from "../bench/run-bench.ts";
import { loadArm } from "../bench/load-arm.ts";
import { comparedJobs } from "../compare/compare-jobs.ts";
import { interruptible, InterruptedError } from "../shared/interruptible.ts";
import { makePlan, runFlagsOf } from "./make-plan.ts";
import type { ImproveFlags } from "./options.ts";

const exitCodes: Readonly<Record<Answer, number>> = { better: 0, worse: 1, "not shown": 5 };

/** Where improvements lie, and the list of plans that were tested, whatever folder each has. */
const improvements = join(".forge", "improvements");

/** Carries out `forge improve`; returns the exit code. @param command as it was typed: the same one resumes */
export async function improveJob(job: string, flags: ImproveFlags, command: string): Promise<number> {
  if (flags.gate === "auto" && flags.budget === undefined)
    throw new ConfigError(
      "--gate auto accepts changes and runs trials without asking; say how long it may take with --budget, such as 60m.",
    );
  if (flags.base !== undefined && flags.gate !== "auto")
    throw new ConfigError("--base belongs to --gate auto; an accepted change has its base already: forge issues accept ISSUE --base FILE.");
  const resume = `Resume: ${oneLine(command)}`;
  return interruptible(async ({ stop }) => {
    const develop = await developRuns(job, flags.config, stop);
    const run = await runFlagsOf(develop, flags);
    const planned = await makePlan(develop, flags, run, stop);
    const { notes, ...file } = planned;
    const folder = resolve(flags.out ?? join(improvements, file.hash.slice(0, 8)));
    for (const note of notes) say(note);
    if (!(await agreed(file, develop, flags, folder))) return 2;
    const budget = flags.budget === undefined ? undefined : AbortSignal.timeout(flags.budget);
    const ended = AbortSignal.any([stop, ...(budget ? [budget] : [])]);
    const made = await improve(
      {
        ...file,
        folder,
        ledgers: resolve(improvements),
        refusedRuns: develop.refused,
        known: new Set(Object.keys(develop.lock.tasks)),
        commands: () => commandsOf(command, folder),
      },
      {
        clock: systemClock,
        stop: ended,
        resolve: (path) => loadArm(run, path),
        runJob: async ({ tasks, configs, out }) => {
          const result = await benchJob(tasks, { ...run, config: configs, repeats: 1, out, yes: true }, ended);
          if (!result) throw new ConfigError("The trials were not paid for; run the same command again to confirm.");
          return result;
        },
        compare: async (place, baseline) => (await comparedJobs([place], { baseline })).report,
        say,
      },
    );
    if (made.answer === "better" && made.state === "finished") await complete(made, flags.store);
    await writeWhole(join(folder, "report.md"), improvementMarkdown(made));
    await writeWhole(join(folder, "report.html"), improvementPage(made));
    process.stdout.write(flags.json ? `${jsonLine(made)}\n` : `${describeImprovement(made)}\n`);
    if (made.state === "stopped" && stop.aborted) throw new InterruptedError("interrupted");
    if (made.state === "stopped" && budget?.aborted) say(`The budget of ${(flags.budget ?? 0) / 60_000} min has ended: ${resume}`);
    return exitCodes[made.answer];
  }, resume);
}

/** Issues whose changes were shown better: they reopen where a run that has the change fails for the same reason. */
async function complete({ id, freeze, plan }: Improvement, store: string): Promise<void> {
  const kept = plan.patches.map(({ issue }) => issue).filter((issue) => freeze?.freeze.kept.includes(issue));
  await inStore(store, { clock: systemClock }, async () => {
    const { issues } = await issuesIn(store);
    for (const issue of issues.filter((one) => kept.includes(one.id))) {
      const completed = completeIssue(issue, { at: systemClock.now(), improvement: id });
      if (completed !== issue) await writeIssue(store, completed);
    }
  });
}

const say = (sentence: string): void => void process.stderr.write(`${oneLine(sentence)}\n`);

/** Shows the plan of a new improvement, and asks. True: go on. */
async function agreed(file: PlanFile, develop: DevelopRuns, flags: ImproveFlags, folder: string): Promise<boolean> {
  if (existsSync(join(folder, "plan.json")) && (await readPlan(folder))?.hash === file.hash) return true; // it was agreed to
  const trials = trialsOfPlan(file.plan);
  const records = develop.runs.map(({ record }) => record);
  const mean = (of: (record: (typeof records)[number]) => number): number =>
    records.reduce((sum, record) => sum + of(record), 0) / records.length;
  const atATime = flags.jobs ?? Math.max(1, ...records.map(({ load }) => load.jobs));
  const each = {
    ms: mean(({ wallMs }) => wallMs) / atATime,
    usd: records.some(({ costUsd }) => costUsd === null) ? null : mean(({ costUsd }) => costUsd ?? 0),
  };
  const shown = describeImprovementPlan(file, {
    trials,
    each,
    halfWidth: plannedHalfWidth(file.plan.test.length),
    budgetMs: flags.budget,
    simulated: records.some(({ simulated }) => simulated),
    refused: develop.refused,
  });
  process.stderr.write(`${shown}\n`);
  if (flags.yes || flags.gate === "auto") return true;
  if (!process.stdin.isTTY) throw new ConfigError("There is no terminal to confirm this plan on: add --yes, or --gate auto with --budget.");
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message: "Go on?", initialValue: false })) === true;
}

/** What made it, and what looks into its jobs, to be pasted. */
function commandsOf(command: string, folder: string): string[] {
  const jobs = ["screen", "test"].map((part) => join(folder, part, "job")).filter((job) => existsSync(join(job, "result.json")));
  const places = jobs.map((job) => relative(process.cwd(), job));
  return [command, ...places.flatMap((place) => [`forge compare ${place}`, `forge analyze ${place}`])];
}
