import { relative } from "node:path";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import { maxLineBytes } from "../../traces/format/line.ts";
import { fitText } from "../text/display-width.ts";
import { unknown } from "../text/format.ts";
import { plainTable } from "../text/lay-table.ts";
import { oneLine } from "../../harness/text/printable.ts";

/** Letters of a name that are shown. */
const longest = { task: 28, configuration: 24, model: 20 };
/** What is left out of a table that is too wide, the first first: `forge traces show` has it all, and so has `--json`. */
const dispensable = ["model", "turns"];

/** One line a run. `words`: what names each, by its folder; `now`: Unix milliseconds; `cwd`: what folders are shown relative to. */
export function runTable(
  runs: readonly RunOverview[],
  { words, now, cwd }: { readonly words: ReadonlyMap<string, string>; readonly now: number; readonly cwd: string },
): string {
  const cut = createCut();
  const rows = runs.map((run) => [
    words.get(run.folder) ?? folderText(run, cwd),
    cut(run.task, longest.task),
    cut(run.agent === "" || run.agent === "configured" ? run.configuration : run.agent, longest.configuration),
    run.notKnown?.includes("model") ? unknown : cut(run.model.slice(run.model.lastIndexOf("/") + 1), longest.model),
    [resultText(run), ...(run.parent ? [`fork at turn ${run.parent.step}`] : []), ...(run.pinned ? ["pinned"] : [])]
      .filter((one) => one !== "")
      .join(", "),
    run.spent ? String(run.spent.turns) : "",
    run.notKnown?.includes("begun") ? unknown : whenText(run.startedAt, now),
  ]);
  const head = ["run", "task", "configuration", "model", "outcome", "turns", "when"];
  return plainTable(head, rows, { left: true, dispensable });
}

/** Cuts names: a long list has few, and cutting takes longer than all else. */
function createCut(): (name: string, width: number) => string {
  const known = new Map<string, string>();
  return (name, width) => {
    if (name.length <= width && /^[\x21-\x7e]*$/.test(name)) return name;
    const key = `${width} ${name}`;
    const text = known.get(key) ?? fitText(oneLine(name), width);
    known.set(key, text);
    return text;
  };
}

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

/** The same for a list: `22 Nov 23:06`, of another year than now's `22 Nov 2025`. */
function whenText(ms: number, now: number): string {
  const [day, time = ""] = timeText(ms).split(" ");
  if (day === undefined || day === "") return "";
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date} ${months[Number(month) - 1] ?? ""} ${new Date(now).getFullYear() === Number(year) ? time : year}`;
}
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
