import { readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createHash } from "node:crypto";
import { nameFilter } from "../../evals/name-filter.ts";
import { digestFolder } from "../../tasks/formats/digest-folder.ts";
import { agreementOf, verdictOf, type Cell, type CellResult } from "./agreement.ts";
import { openCellStore, type CellStore } from "./cell-store.ts";
import { commandEnds, endStates, type EndState } from "./end-states.ts";
import { findTasks, type FoundTask } from "./find-tasks.ts";
import { isComplete } from "./is-complete.ts";
import { parityTable } from "./parity-table.ts";
import { writeProbes } from "./probes.ts";
import { harborVersion, runHarbor } from "./run-harbor.ts";
import { forgeCommand, runForge, type ForgeCommand } from "./run-forge.ts";
import { stageTask, type Staging } from "./stage-task.ts";
import { prepareStandIn, presentImages } from "./stand-in-images.ts";
import { sweepHarbor } from "./sweep-harbor.ts";
import { standIn } from "./stand-in.ts";

const goal = 0.99;
const usage = `npm run parity -- [options] FOLDER...

Runs every task below the folders (Harbor's format, with a solution) to the same end states under Forge and under Harbor, and compares the
rewards. Finished cells are kept in the working folder, and the same command goes on where it stopped.

  --harbor PATH   the harbor command (default: harbor on the PATH); without it only Forge runs
  --forge FILE    a built Forge, dist/cli/main.js (default: the sources of this checkout)
  --only GLOB     only tasks whose name fits
  --states LIST   only these end states, separated by commas, or a number: so many of each task's
  --probes        also our own probes: small tasks of which each asks the runners one question (end state oracle alone)
  --jobs N        cells at a time (default 1)
  --work DIR      working folder (default ~/.cache/forge-parity/work)
  --with-network  tasks that ask for no network get one under both runners: Harbor cuts it off with images of a registry
  --again         run finished cells again
  --json          one JSON object instead of the tables
`;

interface Setting {
  readonly harbor: { readonly path: string; readonly version: string } | undefined;
  readonly wants: (name: string, index: number) => boolean;
  readonly work: string;
  readonly again: boolean;
  readonly withNetwork: boolean;
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
      forge: { type: "string" },
      only: { type: "string" },
      states: { type: "string" },
      probes: { type: "boolean", default: false },
      jobs: { type: "string", default: "1" },
      work: { type: "string", default: join(homedir(), ".cache", "forge-parity", "work") },
      "with-network": { type: "boolean", default: false },
      again: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const jobs = Number(values.jobs);
  if (values.help || (positionals.length === 0 && !values.probes) || !Number.isInteger(jobs) || jobs < 1) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort(new Error("interrupted"));
  // They stay: where a signal has no other listener left, what cleans up child processes ends this process at once, before the sweep.
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onInterrupt);
  const version = await harborVersion(values.harbor);
  say(version === undefined ? `${values.harbor} does not answer: only Forge runs, and nothing is compared.` : `Harbor ${version}`);
  const work = resolve(values.work);
  const setting: Setting = {
    harbor: version === undefined ? undefined : { path: values.harbor, version },
    wants: stateFilter(values.states),
    work,
    again: values.again,
    withNetwork: values["with-network"],
    store: await openCellStore(join(work, "cells.jsonl")),
    forge: await forgeCommand(values.forge),
    isHere: await presentImages(),
    signal: stop.signal,
    say,
  };
  const probesFolder = join(work, "probes");
  if (values.probes) await writeProbes(probesFolder);
  const wanted = values.only === undefined ? () => true : nameFilter(values.only);
  const tasks = (await findTasks([...positionals, ...(values.probes ? [probesFolder] : [])])).filter(({ id }) => wanted(id));
  await sweepHarbor({ own: false });
  const cells = await inParallel(tasks, jobs, (task) => cellsOf(task, setting)).finally(() => sweepHarbor({ own: true }));
  const done = cells.flat();
  process.stdout.write(values.json ? `${JSON.stringify(asJson(done, setting), null, 2)}\n` : parityTable(done));
  if (stop.signal.aborted) return 130;
  const { share } = agreementOf(done);
  return share !== null && share >= goal ? 0 : 1;
}

const asJson = (cells: readonly Cell[], { harbor }: Setting): object => ({
  harbor: harbor?.version ?? null,
  ...agreementOf(cells),
  cells: cells.map((cell) => ({ ...cell, verdict: verdictOf(cell) })),
});

/** All cells of one task, one after another: its image is built by the first of them. */
async function cellsOf(task: FoundTask, setting: Setting): Promise<Cell[]> {
  const { isHere, say, signal, withNetwork } = setting;
  const dockerfile = standIn(await readFile(join(task.folder, "environment", "Dockerfile"), "utf8"), isHere);
  if (dockerfile.missing.length > 0) {
    say(`${task.id}: left out, because nothing can stand in for ${dockerfile.missing.join(", ")}`);
    return [];
  }
  for (const tag of dockerfile.needs) await prepareStandIn(tag, say);
  const script = await readFile(join(task.folder, "solution", "solve.sh"), "utf8");
  const all = endStates(script, await commandEnds(script, isComplete));
  const cells: Cell[] = [];
  const wants = task.folder.startsWith(join(setting.work, "probes")) ? stateFilter("oracle") : setting.wants;
  for (const state of all.filter(({ name }, index) => wants(name, index))) {
    if (signal.aborted) break;
    const cell = await oneCell(task, state, { dockerfile: dockerfile.dockerfile, withNetwork }, setting).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (cell === undefined) break;
    say(`${task.id} ${state.name}: ${verdictOf(cell)}`);
    cells.push(cell);
    // A task that neither runner can start will not start in its next state either.
    if (cell.forge.type === "not-run" && (cell.harbor === undefined || cell.harbor.type === "not-run")) break;
  }
  return cells;
}

async function oneCell(task: FoundTask, state: EndState, staging: Staging, setting: Setting): Promise<Cell> {
  const { harbor, work, signal } = setting;
  const place = join(work, task.id, state.name);
  const folder = await stageTask(task.folder, state, staging, join(place, "task"));
  const digest = await digestFolder(folder);
  const forge = await known(setting, ["forge", setting.forge.digest, digest, state.agent], () =>
    runForge(setting.forge, folder, state.agent, join(place, "forge"), signal),
  );
  const other =
    harbor &&
    (await known(setting, ["harbor", harbor.version, digest, state.agent], () =>
      runHarbor(harbor.path, folder, state.agent, join(place, "harbor"), signal),
    ));
  await rm(join(place, "task"), { recursive: true, force: true });
  return { task: task.id, state: state.name, forge, ...(other === undefined ? {} : { harbor: other }) };
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
