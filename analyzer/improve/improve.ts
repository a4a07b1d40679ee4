import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ComparisonReport } from "../../evals/compare/comparison-report.ts";
import { openJournal, type Journal } from "../../evals/job/journal.ts";
import { jobResultSchema, type JobResult } from "../../evals/job/results/job-result.ts";
import { trialsOf } from "../../evals/job/results/trials-of.ts";
import { lockRunner } from "../../evals/job/runner-lock.ts";
import type { TrialRecord } from "../../evals/trial/trial-record.ts";
import type { Clock } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import { readJson } from "../../harness/files/read-json.ts";
import { writeJson, writeWhole } from "../../harness/files/write-json.ts";
import { families as generatedFamilies } from "../../tasks/generated/families.ts";
import { generateTasks } from "../../tasks/generated/generate.ts";
import { configText, pathFrom } from "../proposals/base-config.ts";
import { drawSeeds } from "./draw-seeds.ts";
import { spentOn, type Answer, type Improvement } from "./improvement.ts";
import { freezeSchema, hashOfPlan, planFileSchema, trialsOfPlan, type Freeze, type PlanFile } from "./improvement-plan.ts";
import { scorePredictions } from "./score-predictions.ts";
import { pairsOf, screenPatch, type Pair, type Screen } from "./screen-patch.ts";
import { claimTest, refuseSecondTest } from "./test-ledger.ts";

export interface ImproveRequest extends PlanFile {
  /** The improvement's own folder. */
  readonly folder: string;
  /** Where it is remembered which plans were tested. */
  readonly ledgers: string;
  readonly refusedRuns: Improvement["refusedRuns"];
  /** Names of tasks that were run before: none of them is fresh. */
  readonly known: ReadonlySet<string>;
  readonly commands: () => readonly string[];
}

export interface ImprovePorts {
  readonly clock: Clock;
  /** Aborted by Ctrl-C and at the end of the budget: what runs ends, and the same command goes on. */
  readonly stop: AbortSignal;
  /** A configuration's file as the jobs have it. */
  resolve(path: string): Promise<ResolvedConfig>;
  /** An ordinary job of `forge bench`, started or gone on with. */
  runJob(o: { readonly tasks: string; readonly configs: readonly string[]; readonly out: string }): Promise<JobResult>;
  compare(job: string, baseline: string): Promise<ComparisonReport>;
  say(sentence: string): void;
}

/**
 * Screens each patch on fresh tasks of develop families, lays the kept ones together, and tests them once on families that nothing was made from. Goes on with
 * what an earlier process began; each step is on the disk before the next.
 * @throws CannotError for a plan that was tested elsewhere, ConfigError for a folder of another plan
 */
export async function improve(request: ImproveRequest, ports: ImprovePorts): Promise<Improvement> {
  const { folder, ledgers, hash } = request;
  await refuseSecondTest(ledgers, hash, folder, join(folder, "test", "job"));
  await makeFolder(folder, "hold an improvement");
  const lock = await lockRunner(folder, { clock: ports.clock, signal: ports.stop });
  try {
    await settle(request);
    const journal = await openJournal(join(folder, "journal.jsonl"));
    try {
      const note = (t: string, more: object = {}): Promise<void> => journal.add({ t, ts: ports.clock.now(), ...more });
      await note("open", { pid: process.pid, plan: request.hash });
      const made = await carryOut(request, ports, { note, past: journal.past });
      await writeJson(join(folder, "result.json"), made);
      await note("close", { state: made.state, answer: made.answer });
      return made;
    } finally {
      await journal.close();
    }
  } finally {
    await lock.release();
  }
}

/** Writes the plan before anything is run, or finds it as it was written. */
async function settle({ folder, plan, hash, job, runs, base, patches }: ImproveRequest): Promise<void> {
  const path = join(folder, "plan.json");
  const before = await readPlan(folder);
  if (!before) return writeJson(path, { plan, hash, job, runs, base, patches } satisfies PlanFile);
  if (before.hash !== hash)
    throw new ConfigError(
      `${path} is another plan (${before.hash.slice(0, 12)}) than this command's (${hash.slice(0, 12)}): its job, its patches or its seeds differ. Give the new one another folder with --out.`,
    );
}

/** The plan in an improvement's folder; undefined where none was written. */
export const readPlan = (folder: string): Promise<PlanFile | undefined> =>
  readJson(join(folder, "plan.json"), planFileSchema, "is no plan of forge improve; restore it, or name another folder with --out.");

interface Work {
  readonly note: (t: string, more?: object) => Promise<void>;
  readonly past: Journal["past"];
}

async function carryOut(request: ImproveRequest, ports: ImprovePorts, work: Work): Promise<Improvement> {
  const { folder, plan, hash, base } = request;
  const baseConfig = await ports.resolve(base);
  const screened = await screen(request, ports, { ...work, base: baseConfig.name });
  const planned = trialsOfPlan(plan);
  const known = {
    v: 1 as const,
    id: hash.slice(0, 8),
    folder: relative(process.cwd(), folder) || ".",
    plan,
    planHash: hash,
    base: { name: baseConfig.name, file: relative(process.cwd(), base) },
    refusedRuns: request.refusedRuns,
    job: relative(process.cwd(), request.job),
    screens: screened.screens,
    predictions: screened.predictions,
    testsBefore: 0,
    spent: { screen: spentOn(screened.records, planned.screen), test: spentOn([], planned.test) },
    commands: request.commands(),
  };
  const kept = screened.screens.filter((one) => one.kept === true).map(({ issue }) => issue);
  if (!screened.ended) {
    const { trials } = known.spent.screen;
    const headline = `Not shown: stopped while screening, after ${trials} of ${planned.screen} trials. The test families are unused.`;
    return { ...known, state: "stopped", answer: "not shown", headline };
  }
  if (kept.length === 0)
    return {
      ...known,
      state: "finished",
      answer: "not shown",
      headline: `Not shown: ${plan.patches.length === 1 ? "the patch" : `none of ${plan.patches.length} patches`} ${plan.patches.length === 1 ? "did not pass" : "passed"} screening. The test families are unused.`,
    };
  const improved = await layTogether(request, kept, baseConfig.name);
  const freeze = await settleFreeze(request, {
    v: 1,
    plan: hash,
    kept,
    base: baseConfig.hash,
    improved: (await ports.resolve(improved)).hash,
    test: plan.test,
    levels: plan.levels,
    seeds: plan.testSeeds,
  });
  const tested = await test(request, ports, { ...work, base: baseConfig.name, improved, freeze });
  const { comparison, records, before } = tested;
  const spent = { ...known.spent, test: spentOn(records, planned.test) };
  const more = { ...known, freeze, improved: relative(process.cwd(), improved), testsBefore: before, spent };
  if (!comparison)
    return {
      ...more,
      state: "stopped",
      answer: "not shown",
      headline: `Not shown: ${kept.length} of ${plan.patches.length} patches are kept, and the test stopped before its first trial ended.`,
    };
  const verdict = comparison.pairs[0]?.verdict;
  const answer: Answer = verdict?.word === "better" || verdict?.word === "worse" ? verdict.word : "not shown";
  const text = verdict?.text ?? `Not comparable: ${comparison.notComparable ?? "there is no pair of configurations"}.`;
  return {
    ...more,
    state: tested.ended ? "finished" : "stopped",
    answer,
    headline: answer === "not shown" ? `Not shown. ${text}` : text,
    test: { job: relative(process.cwd(), join(folder, "test", "job")), comparison },
  };
}

interface Screened {
  readonly screens: readonly Screen[];
  readonly predictions: Improvement["predictions"];
  readonly records: readonly TrialRecord[];
  readonly ended: boolean;
}

/** The base and each patch on the same fresh tasks: one job, so that drift hits all alike and patches share the base's trials. */
async function screen(
  request: ImproveRequest,
  ports: ImprovePorts,
  { note, base: baseName }: Work & { readonly base: string },
): Promise<Screened> {
  const { folder, plan, hash, base, patches } = request;
  const tasks = join(folder, "screen", "tasks");
  await drawTasks(tasks, hash, { families: plan.develop, count: plan.screenSeeds, plan, known: request.known });
  const out = join(folder, "screen", "job");
  const files = plan.patches.map(({ issue }) => patches[issue] ?? "");
  const names = new Map<string, string>();
  for (const [i, { issue, hash: expected }] of plan.patches.entries()) {
    const { name, hash: now } = await ports.resolve(files[i] ?? "");
    if (now !== expected)
      throw new ConfigError(
        `${files[i]} was changed after it was accepted: its harness hash is ${now.slice(0, 12)}, and the plan has ${expected.slice(0, 12)}. Restore the file, or accept the change again.`,
      );
    names.set(issue, name);
  }
  const before = await endedWith(out);
  let status = before?.status;
  if (status !== "finished" || before?.invalid) {
    ports.say(
      `Screening ${plan.patches.length === 1 ? "one patch" : `${plan.patches.length} patches`} on fresh tasks of ${plan.develop.length === 1 ? "one develop family" : `${plan.develop.length} develop families`}`,
    );
    await note("screen.begin");
    const result = await ports.runJob({ tasks, configs: [base, ...files], out });
    status = result.status;
    if (result.invalid && status === "finished") throw invalid(out, result);
  }
  const records = existsSync(out) ? await trialsOf(out) : [];
  const ended = status === "finished";
  const planned = plan.develop.length * plan.levels.length * plan.screenSeeds;
  const tokensOf = (configuration: string): number =>
    records.filter((one) => one.configuration === configuration).reduce((sum, { tokens }) => sum + tokens.in + tokens.out, 0);
  const screens: Screen[] = [];
  const predictions: Improvement["predictions"][number][] = [];
  for (const { issue, removal, predicted } of plan.patches) {
    const name = names.get(issue) ?? "";
    const pairs: Pair[] = pairsOf(records, baseName, name);
    const tokens = { base: tokensOf(baseName), patch: tokensOf(name) };
    screens.push(screenPatch(pairs, { issue, planned, removal, tokens, ended }));
    predictions.push(scorePredictions(issue, pairs, predicted));
  }
  if (ended && before?.status !== "finished")
    await note("screen.end", { kept: screens.filter((one) => one.kept).map(({ issue }) => issue) });
  return { screens, predictions, records, ended };
}

/** The freeze: everything of the test but its seeds, which are drawn from its hash. */
async function settleFreeze({ folder }: ImproveRequest, freeze: Freeze["freeze"]): Promise<Freeze> {
  const path = join(folder, "freeze.json");
  const frozen: Freeze = { freeze, hash: hashOfPlan(freeze) };
  const before = await readJson(path, freezeSchema, "is no freeze of forge improve; restore it.");
  if (before && before.hash !== frozen.hash)
    throw new CannotError(
      `${path} froze another test (${before.hash.slice(0, 12)}) than follows now (${frozen.hash.slice(0, 12)}): a configuration or a result of the screening was changed. Restore it; a plan is tested as it was frozen, and once.`,
    );
  if (!before) await writeJson(path, frozen);
  return frozen;
}

interface Tested {
  readonly comparison: ComparisonReport | undefined;
  readonly records: readonly TrialRecord[];
  readonly ended: boolean;
  readonly before: number;
}

/** The kept patches together against the base, once, on families that no run was read of. */
async function test(
  request: ImproveRequest,
  ports: ImprovePorts,
  { note, base, improved, freeze }: Work & { readonly base: string; readonly improved: string; readonly freeze: Freeze },
): Promise<Tested> {
  const { folder, plan, hash, ledgers } = request;
  const out = join(folder, "test", "job");
  const tasks = join(folder, "test", "tasks");
  await drawTasks(tasks, freeze.hash, { families: plan.test, count: plan.testSeeds, plan, known: request.known });
  await mkdir(out, { recursive: true });
  await makeFolder(ledgers, "hold the list of tests");
  const before = await claimTest(ledgers, { plan: hash, folder, test: plan.test, at: ports.clock.now() });
  const ran = await endedWith(out);
  let status = ran?.status;
  if ((status !== "finished" || ran?.invalid) && !ports.stop.aborted) {
    ports.say(
      `Testing ${freeze.freeze.kept.length} kept ${freeze.freeze.kept.length === 1 ? "patch" : "patches"} once on ${plan.test.length} test families`,
    );
    await note("test.begin", { freeze: freeze.hash });
    const result = await ports.runJob({ tasks, configs: [request.base, improved], out });
    status = result.status;
    await note("test.end", { status });
  }
  const records = await trialsOf(out);
  const comparison = records.length > 0 ? await ports.compare(out, base) : undefined;
  return { comparison, records, ended: status === "finished", before };
}

const endedWith = (out: string): Promise<JobResult | undefined> =>
  readJson(join(out, "result.json"), jobResultSchema, "is no result of a job; restore it, or remove it and run the same command again.");

const invalid = (out: string, { unscored, trials }: JobResult): CannotError =>
  new CannotError(
    `${out}: ${unscored} of ${trials} trials have no score, so screening shows nothing; correct what the job reports and run the same command again.`,
  );

/** The kept patches as one file: each extends the one before, the first the base's patch. */
async function layTogether({ folder, plan, patches }: ImproveRequest, kept: readonly string[], baseName: string): Promise<string> {
  const out = join(folder, "improved");
  await mkdir(out, { recursive: true });
  let below = patches[kept[0] ?? ""] ?? "";
  const path = (name: string): string => join(out, `${name}.yaml`);
  for (const [i, issue] of kept.entries()) {
    const patch = plan.patches.find((one) => one.issue === issue);
    const last = i === kept.length - 1;
    const file = path(last ? `${baseName}-improved` : `${baseName}-kept-${i + 1}`);
    const { extends: _, ...change } = patch?.change ?? {};
    const own = i === 0 ? {} : change;
    await writeWhole(file, configText(`${baseName} with ${kept.slice(0, i + 1).join(", ")}`, { extends: pathFrom(out, below), ...own }));
    below = file;
  }
  return below;
}

async function drawTasks(
  out: string,
  hash: string,
  { families, count, plan, known }: { families: readonly string[]; count: number; plan: PlanFile["plan"]; known: ReadonlySet<string> },
): Promise<void> {
  if (existsSync(out)) return;
  await makeFolder(join(out, ".."), "hold tasks");
  await generateTasks({
    families: generatedFamilies.filter(({ name }) => families.includes(name)),
    levels: plan.levels,
    seeds: (family) =>
      drawSeeds(hash, family, count, (seed) =>
        plan.levels.some((level) => known.has(`${family}-${level}-${String(seed).padStart(4, "0")}`)),
      ),
    out,
  });
}
