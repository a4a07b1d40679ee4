import type { Colors } from "picocolors/types.js";
import { oneLine } from "../../../harness/text/printable.ts";
import { plural } from "../../../harness/text/figures.ts";
import { displayWidth, fitMiddle, fitWidth, padWidth } from "../../text/display-width.ts";
import { count, dollars, percent, unknown } from "../../text/format.ts";
import { armNow, trialKey, type ArmProgress, type ProgressState } from "./progress-state.ts";

interface Column {
  /** Where a terminal is too narrow, columns go in this order. */
  readonly leaves: number;
  readonly text: (arm: ReturnType<typeof armNow>) => string;
}

const columns: readonly Column[] = [
  { leaves: 4, text: ({ passed, failed }) => `${passed}/${passed + failed}` },
  { leaves: 3, text: ({ rate }) => (rate === null ? unknown : percent(rate)) },
  { leaves: 2, text: ({ tokens }) => count(tokens) },
  { leaves: 1, text: ({ costUsd, simulated }) => (simulated || costUsd === null ? "" : dollars(costUsd)) },
];
const gap = 3;
const shortestBar = 8;
const widestGrid = 48;
const narrowestName = 8;
/** So much of a name is kept before any column. */
const toldName = 16;

/** A line for each configuration: its trials by task, passed of scored ones, tokens, cost. At most `rows` lines of at most `width` cells. */
export function drawGrid(state: ProgressState, o: { readonly width: number; readonly rows: number; readonly pc: Colors }): string[] {
  const { pc, width, rows } = o;
  const arms = [...state.arms].map(([name, arm]) => ({ name: oneLine(name), of: name, arm: armNow(state, name, arm) }));
  const fitting = arms.length <= rows ? arms : arms.slice(0, Math.max(1, rows - 1));
  const longest = Math.max(...fitting.map(({ name }) => displayWidth(name)), "running".length);
  let shown = columns.filter(({ text }) => fitting.some(({ arm }) => text(arm) !== ""));
  const widthOf = ({ text }: Column): number => Math.max(...fitting.map(({ arm }) => text(arm).length));
  const taken = (): number => shown.reduce((sum, column) => sum + gap + widthOf(column), 0);
  const name = (): number => Math.min(longest, Math.max(narrowestName, width - gap - shortestBar - taken()));
  for (const column of [...shown].toSorted((a, b) => a.leaves - b.leaves)) {
    if (name() >= Math.min(longest, toldName) && name() + gap + shortestBar + taken() <= width) break;
    shown = shown.filter((one) => one !== column);
  }
  const room = Math.max(1, width - name() - gap - taken());
  const lines = fitting.map(({ name: called, of, arm }) => {
    const cells = shown.map((column) => padWidth(column.text(arm), widthOf(column), "right"));
    const infra = arm.infra > 0 ? pc.yellow(`   ${plural(arm.infra, "infra error")}`) : "";
    const line = [padWidth(fitMiddle(called, name()), name()), marksOf(state, of, arm, { room, pc }), ...cells].join(" ".repeat(gap));
    return displayWidth(line) + displayWidth(infra) <= width ? line + infra : displayWidth(line) <= width ? line : fitWidth(called, width);
  });
  return fitting.length < arms.length && rows > 1 ? [...lines, pc.dim(fitWidth(`… ${arms.length - fitting.length} more`, width))] : lines;
}

/** Each trial's outcome, those of a task together; where they have no room, the share of passed and failed ones. */
function marksOf(
  state: ProgressState,
  name: string,
  arm: ArmProgress,
  { room, pc }: { readonly room: number; readonly pc: Colors },
): string {
  const { start, taskNames, outcomes } = state;
  const [tasks, repeats] = [start?.tasks ?? 0, start?.repeats ?? 0];
  const all = tasks * repeats;
  const spaced = all + Math.max(0, tasks - 1);
  if (all === 0 || all > room || taskNames.length > tasks) return barOf(arm, all, { room: Math.min(room, widestGrid), pc });
  const between = spaced <= room ? " " : "";
  const groups = Array.from({ length: tasks }, (_, task) =>
    Array.from({ length: repeats }, (__, repeat) => {
      const known = taskNames[task];
      const outcome = known === undefined ? undefined : outcomes.get(trialKey({ task: known, configuration: name, repeat: repeat + 1 }));
      return outcome === undefined ? pc.dim("·") : outcome === null ? pc.yellow("?") : outcome ? pc.green("✓") : pc.red("✗");
    }).join(""),
  );
  const grid = groups.join(between);
  return grid + " ".repeat(Math.max(0, Math.min(room, spaced) - displayWidth(grid)));
}

function barOf(arm: ArmProgress, all: number, { room, pc }: { readonly room: number; readonly pc: Colors }): string {
  const cells = (count: number): number => (all === 0 ? 0 : Math.floor((count / all) * room));
  const [passed, failed] = [cells(arm.passed), cells(arm.failed + arm.unscored)];
  return pc.green("✓".repeat(passed)) + pc.red("✗".repeat(failed)) + pc.dim("·".repeat(Math.max(0, room - passed - failed)));
}
