import { relative } from "node:path";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import type { NotKnown } from "../../traces/read/imported.ts";
import { maxLineBytes } from "../../traces/format/line.ts";
import { count, dollars, duration } from "../text/format.ts";
import { layTable } from "../text/lay-table.ts";
import { oneLine } from "../../harness/text/printable.ts";

const longest = 60;

/** A table is no wider, where it can be helped. */
const most = 100;
/** What is left out of one that is wider, the first first: `forge traces show` has it all, and so has `--json`. */
const dispensable = ["cost", "tokens", "time", "model", "task", "configuration", "turns", "begun"];

/** One line a run. `cwd`: what folders are shown relative to. */
export async function runTable(runs: readonly RunOverview[], cwd: string): Promise<string> {
  const rows = runs.map((run) => [
    folderText(run, cwd),
    or(run, "begun", () => timeText(run.startedAt)),
    cut(oneLine(run.task)),
    oneLine(run.agent === "" || run.agent === "configured" ? run.configuration : run.agent),
    or(run, "model", () => oneLine(run.model)),
    [resultText(run), ...(run.parent ? [`fork at turn ${run.parent.step}`] : [])].filter((one) => one !== "").join(", "),
    run.spent ? String(run.spent.turns) : "",
    or(run, "totalTokens", () => (run.spent ? `${count(run.spent.input)}/${count(run.spent.output)}` : "")),
    or(run, "totalCost", () => (run.spent ? dollars(run.spent.costUsd) : "")),
    or(run, "time", () => (run.spent ? duration(run.spent.activeMs) : "")),
  ]);
  const head = ["run", "begun", "task", "configuration", "model", "result", "turns", "tokens", "cost", "time"];
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const below = commonFolder(rows.map(([run = ""]) => run));
  const isWide = widths.reduce((sum, width) => sum + width + 2, -2) > most;
  if (!isWide) return lay(head, rows);
  if (below !== "") widths[0] = (widths[0] ?? 0) - below.length;
  let kept = head;
  for (const name of dispensable) {
    const width = head.reduce((sum, one, i) => sum + (kept.includes(one) ? (widths[i] ?? 0) + 2 : 0), -2);
    if (width > most) kept = kept.filter((one) => one !== name);
  }
  const table = await lay(
    kept,
    rows.map((row) => row.map((cell, i) => (i === 0 ? cell.slice(below.length) : cell)).filter((_, i) => kept.includes(head[i] ?? ""))),
  );
  return below === "" ? table : `below ${below}\n${table}`;
}

const lay = async (head: readonly string[], rows: readonly (readonly string[])[]): Promise<string> =>
  layTable(head, rows, { left: true }) ?? (await import("../text/lay-table.ts")).plainTable(head, rows, { left: true });

/** The folder that all have in common, with its last slash; empty where there is none. */
function commonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  while (folder !== "" && !paths.every((path) => path.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  return folder.length > leastCommon ? folder : "";
}
/** A shorter one is as well in each line. */
const leastCommon = 12;

/** What an imported run does not know is no zero. */
const or = ({ notKnown = [] }: RunOverview, word: NotKnown, text: () => string): string => (notKnown.includes(word) ? "not known" : text());

/** A run's folder as its user would type it. */
export function folderText({ folder, pinned }: Pick<RunOverview, "folder" | "pinned">, cwd: string): string {
  const short = folder.startsWith(`${cwd}/`) ? folder.slice(cwd.length + 1) : relative(cwd, folder); // most are below, and a list may be long
  return `${oneLine(short === "" ? "." : short.startsWith("..") ? folder : short)}${pinned ? " (pinned)" : ""}`;
}

/** How it went: the verdict where there is one, else how the run ended, else why it did not. */
export function resultText({ state, passed, outcome, recovered, bytes, notKnown = [] }: RunOverview): string {
  if (state === "damaged" || state === "unreadable" || state === "empty" || state === "later version") return state;
  const verdict = passed === undefined ? [] : [passed ? "passed" : "failed"];
  const how = notKnown.includes("end") ? "its end is not known" : outcome;
  const ended = how === undefined || (how === "done" && passed !== undefined) ? [] : [oneLine(how)];
  const noEnd = outcome === undefined && passed === undefined;
  const unsealed = state !== "sealed" ? [state] : recovered ? [...(noEnd ? ["cut off"] : []), "recovered"] : [];
  const said = [...verdict, ...ended, ...unsealed].join(", ");
  if (said !== "") return said;
  return bytes > maxLineBytes ? "sealed, no end in its last MiB" : "sealed, no end";
}

/** Unix milliseconds as a time of this machine. */
export function timeText(ms: number): string {
  if (!Number.isFinite(ms) || ms <= 0 || ms > 8.64e15) return "";
  const at = new Date(ms);
  const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const cut = (value: string): string => (value.length > longest ? `${value.slice(0, longest - 1)}…` : value);
