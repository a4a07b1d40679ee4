import type { Colors } from "picocolors/types.js";
import { displayWidth, fitMiddle, fitWidth, padWidth } from "../../text/display-width.ts";
import { count, dollars } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { waitingOf, type ArmProgress, type ProgressState, type RunningTrial } from "./progress-state.ts";

interface Column {
  readonly head: string;
  /** Where a terminal is too narrow, columns go in this order; those without a number stay. */
  readonly leaves?: number;
  readonly colour?: (pc: Colors, text: string) => string;
  readonly value: (row: Row) => number;
  readonly show?: (value: number, row: Row) => string;
}

type Row = ArmProgress & { readonly name: string; readonly running: number; readonly waiting: number };

const columns: readonly Column[] = [
  { head: "passed", value: (row) => row.passed, colour: (pc, text) => pc.green(text) },
  { head: "failed", value: (row) => row.failed, colour: (pc, text) => pc.red(text) },
  { head: "no score", leaves: 5, value: (row) => row.unscored, colour: (pc, text) => pc.yellow(text) },
  { head: "running", value: (row) => row.running, colour: (pc, text) => pc.cyan(text) },
  { head: "waiting", leaves: 3, value: (row) => row.waiting },
  { head: "infra", leaves: 4, value: (row) => row.infra, colour: (pc, text) => pc.yellow(text) },
  { head: "tokens", leaves: 2, value: (row) => row.tokens, show: count },
  { head: "cost", leaves: 1, value: (row) => row.costUsd ?? Number.NaN, show: (usd, row) => dollars(Number.isNaN(usd) ? null : usd, row) },
];
const gap = 2;
const narrowestName = 8;

/** Configurations × counts, with a sum below where there are several; at most `rows` lines, each at most `width` cells. */
export function drawTable(state: ProgressState, o: { readonly width: number; readonly rows: number; readonly pc: Colors }): string[] {
  const { pc, width } = o;
  const all = [...state.arms].map(([name, arm]) => rowOf(name, arm, state));
  const body = all.length > 1 ? [...all, sumOf(all)] : all;
  // The sum is worth more than any one configuration; those that find no room are counted in a line of their own.
  const whole = body.length + 1 <= o.rows;
  const fitting = whole ? body : [...body.slice(0, Math.max(0, o.rows - 3)), ...body.slice(-1)];
  const hidden = body.length - fitting.length;
  const used = columns.filter(({ head }) => (head === "no score" ? all.some(({ unscored }) => unscored > 0) : true));
  const longestName = Math.max(...fitting.map(({ name }) => displayWidth(name)), "configuration".length);
  const { shown, nameWidth } = fitColumns(used, fitting, longestName, width);
  const widths = shown.map((column) => widthOf(column, fitting));
  const blank = " ".repeat(gap);
  const head = [padWidth("configuration", nameWidth), ...shown.map(({ head: text }, i) => padWidth(text, widths[i] ?? 0, "right"))];
  const lines = [
    pc.dim(fitWidth(head.join(blank), width)),
    ...fitting.map((row) => {
      const cells = shown.map((column, i) => {
        const text = padWidth(textOf(column, row), widths[i] ?? 0, "right");
        return column.colour && column.value(row) > 0 ? column.colour(pc, text) : text;
      });
      return [padWidth(fitMiddle(row.name, nameWidth), nameWidth), ...cells].join(blank);
    }),
  ];
  if (hidden > 0 && o.rows > 2) lines.splice(-1, 0, pc.dim(fitWidth(`… ${hidden} more`, width)));
  return lines.slice(0, o.rows);
}

/** Columns leave, least wanted first, until the others fit beside a name that can still be told. */
function fitColumns(used: readonly Column[], rows: readonly Row[], longestName: number, width: number) {
  let shown = used;
  const room = (): number => width - shown.reduce((sum, column) => sum + gap + widthOf(column, rows), 0);
  const leaving = used.filter(({ leaves }) => leaves !== undefined).toSorted((a, b) => (a.leaves ?? 0) - (b.leaves ?? 0));
  for (const column of leaving) {
    if (room() >= Math.min(longestName, narrowestName * 2)) break;
    shown = shown.filter((one) => one !== column);
  }
  return { shown, nameWidth: Math.max(1, Math.min(longestName, Math.max(narrowestName, room()))) };
}

const textOf = ({ value, show = String }: Column, row: Row): string => show(value(row), row);
const widthOf = (column: Column, rows: readonly Row[]): number =>
  Math.max(column.head.length, ...rows.map((row) => textOf(column, row).length));

function rowOf(name: string, arm: ArmProgress, state: ProgressState): Row {
  const own = [...state.running.values()].filter(({ place }) => place.configuration === name);
  const tokens = own.reduce((sum, { step }) => sum + (step?.tokens ?? 0), arm.tokens);
  const costUsd = own.reduce<number | null>((sum, trial) => addCost(sum, costOf(trial)), arm.costUsd);
  const waiting = Math.max(0, waitingOf(state.start, arm, name, state.running));
  return { ...arm, name: oneLine(name), running: own.length, waiting, tokens, costUsd };
}

/** What is charged and what is made up are no sum: where there is both, the cost is that of the real models. */
function sumOf(rows: readonly Row[]): Row {
  const simulated = rows.every((row) => row.simulated);
  const charged = simulated ? rows : rows.filter((row) => !row.simulated);
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    name: "all",
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    unscored: sum(({ unscored }) => unscored),
    running: sum(({ running }) => running),
    waiting: sum(({ waiting }) => waiting),
    infra: sum(({ infra }) => infra),
    tokens: sum(({ tokens }) => tokens),
    simulated,
    costUsd: charged.reduce<number | null>((total, { costUsd }) => addCost(total, costUsd), 0),
  };
}

const costOf = ({ step }: RunningTrial): number | null => (step ? step.costUsd : 0);
const addCost = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
