import { describeForks } from "../../reports/terminal/fork-tree.ts";
import { join, resolve, sep } from "node:path";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import { plural } from "../../harness/text/figures.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { runTable } from "../../reports/terminal/run-list.ts";
import { forkTree, type ForkNode } from "../../traces/store/fork-tree.ts";
import type { RunHead, RunOverview } from "../../traces/read/run-overview.ts";
import type { TornTail } from "../../traces/read/torn-tail.ts";
import { newestBelow, overviewsBelow, usualFolders } from "../../traces/store/known-runs.ts";
import { runWords } from "../../traces/store/run-words.ts";
import { nameRuns, runName } from "../../traces/read/run-name.ts";
import { sayTorn } from "../shared/say-torn.ts";

/** A line a run, the newest first; answers the exit code: 4 where one is damaged, else 3 where one cannot be read or is of a later version. */
export async function listRuns(folders: readonly string[], o: { limit?: number; json?: boolean }): Promise<number> {
  const { all, shown: overviews } = await newestBelow(folders, o.limit ?? (o.json ? Infinity : usualLimit));
  const [runs, shown] = [all.map(named), overviews.map(named)];
  const words = runWords(shown, runs);
  if (o.json)
    for (const run of shown) process.stdout.write(`${jsonLine({ type: "run", ...asTold(run), word: words.get(run.folder) ?? null })}\n`);
  else {
    process.stdout.write(`${runTable(shown, { words, now: Date.now(), cwd: process.cwd() })}\n`);
    if (shown.length < runs.length) process.stdout.write(`… ${plural(runs.length - shown.length, "older run")}: -n ${runs.length}\n`);
    const first = shown.find(({ folder }) => words.has(folder));
    if (first)
      process.stdout.write(
        `\n${nextSteps([["Read one", `traces show ${placeOf(first.folder, words.get(first.folder) ?? "", folders)}`]])}\n`,
      );
  }
  return sayTroubled(o.limit === undefined ? runs : shown, o.json === true);
}

/** Runs that a list shows without -n: more than a person reads. */
const usualLimit = 50;

/** A run's id as it can be typed here: alone where runs are looked for by themselves, else behind the folder or the file that was named. */
function placeOf(folder: string, word: string, folders: readonly string[]): string {
  const [file] = /^.+\.(?:tgz|tar\.gz)(?=#)/s.exec(folder) ?? [];
  if (file !== undefined) return oneLine(quoted(`${file}#${word}`));
  const isUsual = usualFolders.some((usual) => folder.startsWith(`${resolve(usual)}${sep}`));
  const named = folders.find((one) => `${folder}${sep}`.startsWith(`${resolve(one)}${sep}`));
  return isUsual || named === undefined ? word : oneLine(quoted(join(named, word)));
}
const quoted = (path: string): string => (/^[\w./:=@%+,#-]+$/.test(path) ? path : quote(path));

function named<R extends RunHead>(run: R): R {
  const folder = runName(run.folder);
  return folder === run.folder ? run : { ...run, folder, ...(run.why === undefined ? {} : { why: nameRuns(run.why) }) };
}

/** Runs with those that went on from them below; answers the exit code. */
export async function listForks(folders: readonly string[], o: { all?: boolean; json?: boolean }): Promise<number> {
  const runs = (await overviewsBelow(folders)).map(named);
  const roots = forkTree(runs).filter(({ run, forks }) => o.all === true || forks.length > 0 || run.parent);
  if (o.json) for (const root of roots) process.stdout.write(`${jsonLine(asJson(root))}\n`);
  else if (roots.length === 0) process.stdout.write(`None of ${plural(runs.length, "run")} continues another one.\n`);
  else process.stdout.write(`${describeForks(roots, process.cwd())}\n`);
  return sayTroubled(runs, o.json === true);
}

const asJson = ({ run, forks }: ForkNode): unknown => ({ type: "run", ...asTold(run), forks: forks.map(asJson) });

/** Machines are told that there is nothing, too. */
const asTold = (run: RunOverview): Omit<RunOverview, "torn"> & { torn: TornTail | null } => ({ ...run, torn: run.torn ?? null });

function sayTroubled(runs: readonly RunHead[], json: boolean): number {
  const troubled = runs.filter(({ state }) => state === "damaged" || state === "unreadable" || state === "later version");
  if (!json) for (const { folder, torn } of runs) sayTorn(folder, torn ?? null);
  if (!json) for (const { folder, why = "" } of troubled) process.stderr.write(`${oneLine(folder)}: ${oneLine(why)}\n`);
  return Math.max(0, ...troubled.map(({ state }) => (state === "damaged" ? 4 : 3)));
}
