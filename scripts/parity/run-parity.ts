import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createHash } from "node:crypto";
import { nameFilter } from "../../harness/text/name-filter.ts";
import { digestFolder } from "../../tasks/formats/digest-folder.ts";
import { agreementOf, verdictOf, type Cell, type CellResult, type RunnerName } from "./agreement.ts";
import { openCellStore, type CellStore } from "./cell-store.ts";
import { commandEnds, endStates, terminalBenchStates, type EndState } from "./end-states.ts";
import { findTasks, type FoundTask, type TaskFormat } from "./find-tasks.ts";
import { isComplete } from "./is-complete.ts";
import { parityTable } from "./parity-table.ts";
import { writeProbes } from "./probes.ts";
import { harborVersion, runHarbor } from "./run-harbor.ts";
import { forgeCommand, runForge, type ForgeCommand } from "./run-forge.ts";
import { runTerminalBench, terminalBenchVersion } from "./run-terminal-bench.ts";
import { readSolution, stageTask, type Staging } from "./stage-task.ts";
import { prepareStandIn, presentImages } from "./stand-in-images.ts";
import { standInsOf } from "./stand-in.ts";
import { sweepRunners } from "./sweep-runners.ts";

const goal = 0.99;
const usage = `npm run parity -- [options] FOLDER...

Runs every task below the folders (Harbor's format, or Terminal-Bench 1, with a solution as a script) to the same end states under Forge and
under the format's own runner, and compares the rewards. Finished cells are kept in the working folder, and the same command goes on where it
stopped.

  --harbor PATH   the harbor command (default: harbor on the PATH); without it only Forge runs tasks of Harbor's format
  --tb PATH       the tb command of the package terminal-bench (default: tb on the PATH); the same for those of Terminal-Bench 1
  --forge FILE    a built Forge, dist/cli/main.js (default: the sources of this checkout)
  --only GLOB     only tasks whose name fits
  --states LIST   only these end states, separated by commas, or a number: so many of each task's
  --probes        also our own probes: small tasks of which each asks the runners one question (end state oracle alone)
  --jobs N        cells at a time (default 1)
  --work DIR      working folder (default ~/.cache/forge-parity/work)
  --with-network  tasks that ask for no network get one under both runners: Harbor cuts it off with images of a registry
  --patience N    every time limit N times as long under both runners (default 1): on a busy machine
  --task-env NAME a variable of the environment that tasks may read under Forge; repeat it
  --again         run finished cells again
  --json          one JSON object instead of the tables
`;

/** The runner of a format: where it is, if it is there, and what it is called. */
interface Runner {
  readonly name: RunnerName;
  readonly path: string;
  readonly version: string | undefined;
  readonly run: typeof runHarbor;
}

interface Setting {
  readonly runners: Readonly<Record<TaskFormat, Runner>>;
  readonly wants: (name: string, index: number) => boolean;
  readonly work: string;
  readonly again: boolean;
  readonly withNetwork: boolean;
  readonly patience: number;
  readonly store: CellStore;
  readonly forge: ForgeCommand;
  readonly isHere: (image: string) => boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Carries out `npm run parity`; answers its exit code: 0 when at least 99 % of what was compared agrees. Progress goes to standard error. */
export async function runParity(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      harbor: { type: "string", default: "harbor" },
      tb: { type: "string", default: "tb" },
      forge: { type: "string" },
      only: { type: "string" },
      states: { type: "string" },
      probes: { type: "boolean", default: false },
      jobs: { type: "string", default: "1" },
      work: { type: "string", default: join(homedir(), ".cache", "forge-parity", "work") },
      "with-network": { type: "boolean", default: false },
      patience: { type: "string", default: "1" },
      "task-env": { type: "string", multiple: true, default: [] },
      again: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const jobs = Number(values.jobs);
  const patience = Number(values.patience);
  if (values.help || (positionals.length === 0 && !values.probes) || !Number.isInteger(jobs) || jobs < 1 || !(patience >= 1)) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort(new Error("interrupted"));
  // They stay: where a signal has no other listener left, what cleans up child processes ends this process at once, before the sweep.
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onInterrupt);
  const work = resolve(values.work);
  const probesFolder = join(work, "probes");
  if (values.probes) await writeProbes(probesFolder);
  const wanted = values.only === undefined ? () => true : nameFilter(values.only);
  const tasks = (await findTasks([...positionals, ...(values.probes ? [probesFolder] : [])])).filter(({ id }) => wanted(id));
  const setting: Setting = {
    runners: await runnersFor(tasks, { harbor: values.harbor, tb: values.tb }, say),
    wants: stateFilter(values.states),
    work,
    again: values.again,
    withNetwork: values["with-network"],
    patience,
    store: await openCellStore(join(work, "cells.jsonl")),
    forge: await forgeCommand(values.forge, values["task-env"]),
    isHere: await presentImages(),
    signal: stop.signal,
    say,
  };
  const sweep = { tasks: tasks.flatMap(({ folder, format }) => (format === "terminal-bench" ? [basename(folder)] : [])) };
  await sweepRunners({ ...sweep, own: false });
  const cells = await inParallel(tasks, jobs, (task) => cellsOf(task, setting)).finally(() => sweepRunners({ ...sweep, own: true }));
  const done = cells.flat();
  process.stdout.write(values.json ? `${JSON.stringify(asJson(done, setting), null, 2)}\n` : parityTable(done));
  if (stop.signal.aborted) return 130;
  const { share } = agreementOf(done);
  return share !== null && share >= goal ? 0 : 1;
}

async function runnersFor(
  tasks: readonly FoundTask[],
  paths: { readonly harbor: string; readonly tb: string },
  say: (line: string) => void,
): Promise<Setting["runners"]> {
  const needed = (format: TaskFormat): boolean => tasks.some((task) => task.format === format);
  const runners = {
    harbor: {
      name: "Harbor",
      path: paths.harbor,
      version: needed("harbor") ? await harborVersion(paths.harbor) : undefined,
      run: runHarbor,
    },
    "terminal-bench": {
      name: "terminal-bench",
      path: paths.tb,
      version: needed("terminal-bench") ? await terminalBenchVersion(paths.tb) : undefined,
      run: runTerminalBench,
    },
  } as const;
  for (const format of ["harbor", "terminal-bench"] as const) {
    if (!needed(format)) continue;
    const { name, path, version } = runners[format];
    say(
      version === undefined ? `${path} does not answer: only Forge runs tasks for ${name}, and nothing is compared.` : `${name} ${version}`,
    );
  }
  return runners;
}

const asJson = (cells: readonly Cell[], { runners }: Setting): object => ({
  harbor: runners.harbor.version ?? null,
  terminalBench: runners["terminal-bench"].version ?? null,
  ...agreementOf(cells),
  cells: cells.map((cell) => ({ ...cell, verdict: verdictOf(cell) })),
});

/** All cells of one task, one after another: its image is built by the first of them. */
async function cellsOf(task: FoundTask, setting: Setting): Promise<Cell[]> {
  const { isHere, say, signal, withNetwork, patience } = setting;
  const { dockerfiles, needs, missing } = await standInsOf(task.folder, isHere);
  if (missing.length > 0) {
    say(`${task.id}: left out, because nothing can stand in for ${missing.join(", ")}`);
    return [];
  }
  for (const tag of needs) await prepareStandIn(tag, say);
  const script = await readSolution(task);
  const statesOf = task.format === "harbor" ? endStates : terminalBenchStates;
  const all = statesOf(script, await commandEnds(script, isComplete));
  const cells: Cell[] = [];
  const wants = task.folder.startsWith(join(setting.work, "probes")) ? stateFilter("oracle") : setting.wants;
  for (const state of all.filter(({ name }, index) => wants(name, index))) {
    if (signal.aborted) break;
    const cell = await oneCell(task, state, { dockerfiles, withNetwork, patience }, setting).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (cell === undefined) break;
    say(`${task.id} ${state.name}: ${verdictOf(cell)}`);
    cells.push(cell);
    // A task that neither runner can start will not start in its next state either.
    if (cell.forge.type === "not-run" && (cell.other === undefined || cell.other.type === "not-run")) break;
  }
  return cells;
}

async function oneCell(task: FoundTask, state: EndState, staging: Staging, setting: Setting): Promise<Cell> {
  const { runners, work, signal } = setting;
  const { name, path, version, run } = runners[task.format];
  const place = join(work, task.id, state.name);
  const folder = await stageTask(task, state, staging, join(place, "task"));
  const digest = await digestFolder(folder);
  const forge = await known(setting, ["forge", setting.forge.digest, digest, state.agent], () =>
    runForge(setting.forge, folder, state.agent, join(place, "forge"), signal),
  );
  const key = [task.format, version ?? "", digest, state.agent];
  const other =
    version === undefined ? undefined : await known(setting, key, () => run(path, folder, state.agent, join(place, task.format), signal));
  await rm(join(place, "task"), { recursive: true, force: true });
  return { task: task.id, state: state.name, forge, runner: name, ...(other === undefined ? {} : { other }) };
}

async function known({ store, again }: Setting, parts: readonly string[], run: () => Promise<CellResult>): Promise<CellResult> {
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const before = again ? undefined : store.get(key);
  if (before !== undefined) return before;
  const result = await run();
  await store.put(key, result);
  return result;
}

function stateFilter(asked: string | undefined): Setting["wants"] {
  if (asked === undefined) return () => true;
  if (/^\d+$/.test(asked)) return (_, index) => index < Number(asked);
  return (name) => asked.split(",").includes(name);
}

/** At most `jobs` at a time; results in the order of the items. */
async function inParallel<T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const runner = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item));
  };
  await Promise.all(Array.from({ length: jobs }, runner));
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result);
}
