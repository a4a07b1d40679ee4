import { type ResolvedConfig, isSimulated } from "../../harness/contract/resolved-config.ts";
import { CannotError } from "../../harness/errors.ts";
import type { JsonObject } from "../../harness/json.ts";
import type { Bounds } from "../../harness/sandbox/provider.ts";
import { splitCredentials } from "../../harness/models/providers/clients/split-credentials.ts";
import { bench } from "../../evals/bench/bench.ts";
import type { BenchRequest } from "../../evals/bench/bench-request.ts";
import type { JobResult } from "../../evals/job/results/job-result.ts";
import { trialsLeft } from "../../evals/bench/trials-left.ts";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { createBenchProgress } from "../../reports/terminal/bench-progress.ts";
import { plural } from "../../harness/text/figures.ts";
import { jobOverview } from "../../evals/job/job-overview.ts";
import { trialsOf } from "../../evals/job/results/trials-of.ts";
import { jobWord } from "../../evals/job/find-jobs.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { withSolutions } from "../../tasks/has-solution.ts";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { benchArms } from "../../evals/study/bench-arms.ts";
import { loadArm } from "./load-arm.ts";
import { baselineOf, type BenchFlags } from "./options.ts";
import { confirmPaidWork } from "./confirm-paid-work.ts";
import { dockerHostsOf } from "./docker-hosts-of.ts";
import { deadServer, serverAddress } from "../../harness/models/providers/clients/server-address.ts";
import { modelNotesOf } from "../shared/model-notes-of.ts";
import { interruptible } from "../shared/interruptible.ts";
import { lostOutput } from "../shared/lost-output.ts";
import { startReaper } from "./reaper/start-reaper.ts";

/** Carries out `forge bench`; answers the exit code. */
export async function runBench(suiteName: string, flags: BenchFlags): Promise<number> {
  const result = await benchJob(suiteName, flags);
  if (!result) return 2;
  if (!flags.json) {
    const { describeJob, nextCommands } = await import("../../reports/terminal/configuration-table.ts"); // knows how wide every character of the world is, which takes its time
    const word = oneLine(await jobWord(result.folder));
    const next = nextCommands(result, word);
    process.stdout.write(
      `${describeJob(result, { word, ms: (await jobOverview(result.folder)).workedMs, trials: await trialsOf(result.folder) })}\n${next === "" ? "" : `\n${next}\n`}`,
    );
  }
  const code = exitCodeOf(result);
  const unexpected = code === 0 ? unexpectedIn(result, flags) : [];
  if (unexpected.length > 0) say(`${unexpected.join("; ")}: exit code 1.`);
  return unexpected.length > 0 ? 1 : code;
}

/** The job that the flags ask for, with its progress; undefined where nobody agreed to pay. `ended`: ends it as Ctrl-C does. */
export async function benchJob(suiteName: string, flags: BenchFlags, ended?: AbortSignal): Promise<JobResult | undefined> {
  const agent = baselineOf(flags.agent) ?? "configured";
  const other = agent === "configured" ? flags.agent : undefined;
  const arms = other !== undefined && !flags.config && !flags.ablate ? { ...flags, config: ["bare"] } : flags;
  const { configurations, study, asked } = await benchArms(arms, (config, change, option) => loadArm(flags, config, change, option));
  const loaded = await loadSuite(suiteName, {
    variables: process.env,
    taskEnv: flags.taskEnv,
    plan: agent === "configured" && configurations.some(isSimulated),
    ...(flags.filter === undefined ? {} : { wants: nameFilter(flags.filter) }),
  });
  const suite = agent === "oracle" ? withSolutions(loaded) : loaded;
  for (const { folder, warnings } of suite.tasks)
    for (const warning of warnings) process.stderr.write(`${oneLine(`${folder}: ${warning}`)}\n`);
  // whoever names a daemon does not mean this machine without one
  const sandbox = flags.sandbox ?? (flags.dockerHost ? "docker" : undefined);
  const ports = await createBenchPorts(process.env, {
    dockerHosts: await dockerHostsOf(flags.dockerHost, flags.sandbox),
    ...(sandbox && { sandbox: sandbox === "local-unsafe" ? "local" : sandbox }),
    onRefusal: say,
    onFallback: say,
  });
  const bounds = boundsOf(flags);
  const request: BenchRequest = {
    suite,
    configurations,
    ...(study === undefined ? {} : { study }),
    ...(flags.untilDecided ? { untilDecided: true } : {}),
    agent,
    repeats: flags.repeats,
    ...(flags.filter === undefined ? {} : { filter: flags.filter }),
    ...(flags.mode === undefined ? {} : { mode: flags.mode }),
    ...(sandbox && { sandbox }),
    ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
    ...bounds,
    ...(flags.maxCost === undefined ? {} : { maxCostUsd: flags.maxCost }),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.out === undefined ? {} : { out: flags.out }),
    cwd: process.cwd(),
    asked: {
      suite: suiteName,
      ...asked,
      ...(other === undefined ? {} : { agent: other }),
      // an edited configuration is another question, and gets a job of its own
      harness: configurations.map(({ hash }) => hash),
      model: flags.model ?? null,
      baseUrl: flags.baseUrl === undefined ? null : splitCredentials(flags.baseUrl).url,
      ...(flags.price === undefined ? {} : { price: flags.price }),
      ...bounds,
      ...(flags.taskEnv === undefined ? {} : { taskEnv: [...new Set(flags.taskEnv)].sort() }),
    },
  };
  if (study !== undefined || flags.untilDecided) (await import("./announce-study.ts")).announceStudy(request);
  if (agent === "configured") {
    for (const note of new Set(configurations.flatMap((each) => modelNotesOf(each)))) say(note);
    const left = (): ReturnType<typeof trialsLeft> => trialsLeft(request, ports);
    await refuseUnreachable(configurations, left);
    if (!(await confirmPaidWork(request, ports, { yes: flags.yes === true, left }))) return undefined;
  }
  const progress = flags.json ? jsonLines() : createBenchProgress(process.stderr, { now: ports.clock.now, env: process.env });
  const reaper = startReaper(request.sandbox, flags.dockerHost);
  using lost = lostOutput();
  const result = await interruptible(({ stop, signal }) =>
    bench(request, ports, { onEvent: progress.add, stop: AbortSignal.any([stop, lost.signal, ...(ended ? [ended] : [])]), signal }),
  ).finally(() => {
    progress.end();
    reaper.release();
  });
  return result;
}

const say = (sentence: string): void => void process.stderr.write(`${oneLine(sentence)}\n`);

/** The bounds that were given, in place of the machine's share; of one that was given twice the last. */
function boundsOf({ bound = [] }: BenchFlags): { readonly bounds?: Bounds & JsonObject } {
  const { memoryMb, storageMb, pids } = Object.assign({}, ...bound) as Bounds; // each entry is one
  const bounds = {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(storageMb === undefined ? {} : { storageMb }),
    ...(pids === undefined ? {} : { pids }),
  };
  return Object.keys(bounds).length > 0 ? { bounds } : {};
}

/** A server that does not answer is reported before anything is built, unless the job has nothing left to ask it. */
async function refuseUnreachable(
  configurations: readonly ResolvedConfig[],
  left: () => Promise<readonly { readonly configuration: string }[]>,
): Promise<void> {
  const servers = new Map<string | undefined, ResolvedConfig[]>();
  for (const config of configurations) {
    const address = serverAddress(config.model, process.env);
    servers.set(address, [...(servers.get(address) ?? []), config]);
  }
  for (const [first, ...others] of servers.values()) {
    const dead = first && (await deadServer(first.model, process.env));
    if (dead === undefined) continue;
    const names = new Set([first, ...others].map((config) => config?.name));
    if ((await left()).some(({ configuration }) => names.has(configuration)))
      throw new CannotError(`${dead} Start it, or give another address with --base-url. Nothing was started.`);
  }
}

/** What a caller of this command must learn by its exit code: a solution that fails, nothing that passes, a rate below `--min-pass`. */
function unexpectedIn({ configurations }: JobResult, { agent, minPass }: BenchFlags): string[] {
  const trialsOf = ({ passed, failed, unscored }: JobResult["configurations"][number]): number => passed + failed + unscored;
  if (minPass !== undefined)
    return configurations
      .filter((one) => one.passed < minPass * trialsOf(one))
      .map((one) => `${one.configuration} passed ${one.passed} of ${trialsOf(one)}, less than --min-pass ${minPass}`);
  const [passed, all] = [sum(configurations, (one) => one.passed), sum(configurations, trialsOf)];
  if (agent === "oracle" && passed < all) return [`the reference solutions passed ${passed} of ${plural(all, "trial")}`];
  if (agent === "nop" && passed > 0) return [`doing nothing passed ${passed} of ${plural(all, "trial")}`];
  return [];
}

const sum = <T>(all: readonly T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);

const jsonLines = () => ({
  add: (event: object): void => void process.stdout.write(`${jsonLine(event)}\n`),
  end: (): void => undefined,
});

function exitCodeOf(result: JobResult): number {
  if (result.status === "cancelled" || result.status === "stopped") return 130;
  if (result.invalid) return 1;
  return result.status === "max-cost" ? 3 : 0;
}
