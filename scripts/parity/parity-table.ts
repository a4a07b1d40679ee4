import { printable } from "../../harness/text/printable.ts";
import { agreementOf, verdictOf, type Cell, type CellResult } from "./agreement.ts";

/** The whole result as Markdown, one part for each runner that Forge was compared with. */
export function parityTable(cells: readonly Cell[]): string {
  const runners = [...new Set(cells.map(({ runner }) => runner))];
  if (runners.length < 2) return tableOf(cells);
  return runners.map((name) => `## ${name}\n\n${tableOf(cells.filter(({ runner }) => runner === name))}`).join("\n");
}

/** A row a task and a column a state, then every cell that differs or was not compared, then the share. */
function tableOf(cells: readonly Cell[]): string {
  const tasks = [...new Set(cells.map(({ task }) => task))];
  const states = [...new Set(cells.map(({ state }) => state))];
  const cellOf = (task: string, state: string): string => {
    const cell = cells.find((one) => one.task === task && one.state === state);
    return cell === undefined ? "" : inTable(cell);
  };
  const rows = [
    ["task", ...states],
    ["---", ...states.map(() => "---")],
    ...tasks.map((task) => [printable(task), ...states.map((state) => cellOf(task, state))]),
  ];
  return `${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n\n${reasons(cells)}${closing(cells)}`;
}

/** One number where both agree, "Forge ≠ the other" where they do not. */
function inTable(cell: Cell): string {
  const verdict = verdictOf(cell);
  if (verdict === "agree") return short(cell.forge);
  const other = cell.other === undefined ? "" : short(cell.other);
  return verdict === "differ" ? `**${short(cell.forge)} ≠ ${other}**` : `${short(cell.forge)} · ${other}`;
}

function short(result: CellResult): string {
  if (result.type === "not-run") return "not run";
  if (result.rewards === null) return "none";
  const entries = Object.entries(result.rewards);
  const rounded = (value: number): string => String(Math.round(value * 1e4) / 1e4);
  const [only] = entries;
  return entries.length === 1 && only?.[0] === "reward"
    ? rounded(only[1])
    : entries.map(([name, value]) => `${printable(name)} ${rounded(value)}`).join(", ");
}

function reasons(cells: readonly Cell[]): string {
  const lines = cells
    .filter((cell) => verdictOf(cell) !== "agree")
    .map(
      (cell) =>
        `- ${printable(cell.task)}, ${cell.state}: Forge ${long(cell.forge)}; ${cell.runner} ${cell.other ? long(cell.other) : "is not installed"}`,
    );
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}

function long(result: CellResult): string {
  if (result.type === "not-run") return `did not run it (${clipped(result.why)})`;
  const note = result.note === undefined ? "" : ` (${clipped(result.note)})`;
  return `${result.rewards === null ? "has no reward" : `gives ${short(result)}`}${note}`;
}

function clipped(text: string): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length > 240 ? `${line.slice(0, 240)}…` : line;
}

function closing(cells: readonly Cell[]): string {
  const { agree, compared, notCompared, share } = agreementOf(cells);
  const tasks = new Set(cells.map(({ task }) => task)).size;
  const left = notCompared === 0 ? "" : `; ${notCompared} end states could not be compared`;
  if (share === null) return `${cells.length} end states of ${tasks} tasks, none of them compared${left}\n`;
  return `${agree} of ${compared} rewards agree (${(100 * share).toFixed(1)} %), ${tasks} tasks${left}\n`;
}
