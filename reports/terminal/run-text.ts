import pc from "picocolors";
import { snapshotLane } from "../../harness/agent/call-tools.ts";
import { notKnownWords, sourceStep, type NotKnown } from "../../traces/read/imported.ts";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import type { NumberedEvent, Turn } from "../../traces/read/turns.ts";
import { eventText, laneText, resultOf } from "../content/event-text.ts";
import { displayWidth, fitWidth, pageWidth } from "../text/display-width.ts";
import { count, dollars, duration, plural } from "../text/format.ts";
import { folded, hanging } from "../text/wrapped.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { folderText, resultText, timeText } from "./run-list.ts";

export interface RunTextOptions {
  readonly cwd: string;
  /** Nothing is cut. */
  readonly full: boolean;
  /** Of an imported run. */
  readonly notKnown?: readonly NotKnown[];
}

/** Rows that a text has before it is cut, and a line that begins an event. */
const most = { rows: 6, headRows: 3 };

/** The first lines over a run. */
export function runHead(run: RunOverview, cwd: string): string {
  const facts = [
    run.task === "" ? "" : oneLine(run.task).slice(0, 120),
    oneLine(run.configuration),
    oneLine(run.model),
    resultText(run),
    timeText(run.startedAt),
  ];
  const { parent, notKnown = [] } = run;
  const place = folderText(run, cwd);
  const about = facts.filter((fact) => fact !== "").join(" · ");
  return [
    ...(displayWidth(place) + displayWidth(about) + 2 <= pageWidth()
      ? [`${pc.bold(place)}  ${about}`]
      : [pc.bold(place), hanging(`  ${about}`)]),
    ...(notKnown.length > 0 ? [hanging(`imported; not known: ${notKnown.map((word) => notKnownWords[word]).join(", ")}`)] : []),
    ...(parent ? [`continues from turn ${parent.step} of ${oneLine(parent.run)}`] : []),
  ].join("\n");
}

/** A turn for a reader: what the model said, what it called and what came of it, and who intervened. Requests and questions of middleware are counted only. */
export function turnText(turn: Turn, o: RunTextOptions): string {
  const lacks = (word: NotKnown): boolean => o.notKnown?.includes(word) === true;
  const steps = turn.events.flatMap((event) => sourceStep(event) ?? []);
  const [from, to] = [Math.min(...steps), Math.max(...steps)];
  const sums = [
    ...(steps.length === 0 ? [] : [from === to ? `step ${from} of its source` : `steps ${from} to ${to} of its source`]),
    ...(lacks("tokens") ? [] : [`${count(turn.input)}/${count(turn.output)} tokens`]),
    ...(lacks("cost") || turn.costUsd === null ? [] : [dollars(turn.costUsd)]),
    ...(lacks("time") ? [] : [duration(turn.activeMs)]),
    ...(turn.calls > 0 ? [plural(turn.calls, "call")] : []),
    ...(turn.interventions > 0 ? [plural(turn.interventions, "intervention")] : []),
  ];
  const begin = turn.events[0]?.seq ?? 0;
  const head =
    turn.turn === 0
      ? pc.bold("before the first turn")
      : hanging(`turn ${turn.turn}  ${sums.join(", ")}  (from event ${begin})`).replace(/^turn \d+/, (begins) => pc.bold(begins));
  const results = new Map(turn.events.filter(({ t }) => t === "tool.result").map((event) => [String(event.cause[0]), event]));
  const paired = new Set<NumberedEvent>();
  const replies = turn.events.filter(({ t }) => t === "model.response");
  const onlyReply = turn.turn > 0 && replies.length === 1 ? replies[0] : undefined; // its figures are the turn's
  const lines = turn.events.flatMap((event) => {
    if (event.t === "model.request" || event.t === "port.read" || paired.has(event)) return [];
    if (event.lane === snapshotLane && event.t === "fs.snapshot" && !o.full) return []; // the result before it names what was edited
    const result = event.t === "tool.call" ? results.get(`${event.lane}#${event.n}`) : undefined;
    if (result) paired.add(result);
    return [entry(event, result, event === onlyReply ? { ...o, notKnown: [...(o.notKnown ?? []), "tokens", "cost", "time"] } : o)];
  });
  return [head, ...lines].join("\n");
}

/** One event on a line of its own, its text below. */
export function eventLine(event: NumberedEvent, o: RunTextOptions): string {
  const { head, body } = eventText(event, o.notKnown);
  const line = `${String(event.seq).padStart(5)}  ${oneLine(event.t).padEnd(15)} ${oneLine(event.lane)}#${event.n}  ${head}`;
  return [o.full ? line : fitWidth(line, pageWidth()), ...said(body, "       ", o)].join("\n");
}

function entry(event: NumberedEvent, result: NumberedEvent | undefined, o: RunTextOptions): string {
  const { head, body } = eventText(event, o.notKnown);
  // who intervened stands in the head
  const lane = laneText(event.t === "middleware" ? event.lane.replace(/\/mw:[^/]*$/, "") : event.lane);
  const place = lane === "" ? "" : `${pc.dim(lane)} `;
  const how = result ? `→ ${oneLine(resultOf(result.d, o.notKnown))}` : "";
  const [first = "", ...more] = rowsOf([head], pageWidth() - 4 - displayWidth(place), { ...o, most: most.headRows }).rows;
  const lines = [`  ${place}${coloured(event.t, first)}`, ...more.map((row) => `    ${coloured(event.t, row)}`)];
  const last = lines.at(-1) ?? "";
  const isRoom = o.full || displayWidth(last) + displayWidth(how) + 2 <= pageWidth();
  if (how !== "" && isRoom) lines[lines.length - 1] = `${last}  ${pc.dim(how)}`;
  else if (how !== "") lines.push(...folded(how, pageWidth() - 4).map((row) => `    ${pc.dim(row)}`));
  return [...lines, ...said(result ? eventText(result, o.notKnown).body : body, "      ", o)].join("\n");
}

function coloured(t: string, head: string): string {
  if (t === "tool.call") return pc.cyan(head);
  if (t === "middleware") return pc.yellow(head);
  return t === "model.attempt" || t === "limit.hit" || t === "cancel" ? pc.red(head) : head;
}

/** Lines as rows of so many columns, and how many lines are not or not wholly among them; where nothing is cut each line is a row. */
function rowsOf(lines: readonly string[], columns: number, o: { readonly full: boolean; readonly most: number }) {
  if (o.full) return { rows: lines, more: 0 };
  const rows: string[] = [];
  for (const [i, line] of lines.entries()) {
    const room = o.most - rows.length;
    if (room <= 0) return { rows, more: lines.length - i };
    const own = folded(line.slice(0, (room + 1) * columns).replaceAll("\t", "  "), columns);
    rows.push(...own.slice(0, room));
    if (own.length > room) rows.push(`${(rows.pop() ?? "").slice(0, columns - 1)}…`);
  }
  return { rows, more: 0 };
}

/** A text of others always stands to the right of what is ours. */
function said(body: string, indent: string, { full }: RunTextOptions): string[] {
  if (body === "") return [];
  const { rows, more } = rowsOf(body.split("\n"), pageWidth() - indent.length, { full, most: most.rows });
  return [...rows.map((row) => indent + row), ...(more > 0 ? [`${indent}${pc.dim(`… ${plural(more, "line")} more`)}`] : [])];
}
