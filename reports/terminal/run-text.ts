import pc from "picocolors";
import { snapshotLane } from "../../harness/agent/call-tools.ts";
import { notKnownWords, sourceStep, type NotKnown } from "../../traces/read/imported.ts";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import type { NumberedEvent, Turn } from "../../traces/read/turns.ts";
import { eventText, laneText, resultOf } from "../content/event-text.ts";
import { count, dollars, duration, plural } from "../text/format.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { folderText, resultText, timeText } from "./run-list.ts";

export interface RunTextOptions {
  readonly cwd: string;
  /** Nothing is cut. */
  readonly full: boolean;
  /** Of an imported run. */
  readonly notKnown?: readonly NotKnown[];
}

/** Lines and characters that a text has before it is cut. */
const fold = { lines: 6, characters: 240 };

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
  return [
    `${pc.bold(folderText(run, cwd))}  ${facts.filter((fact) => fact !== "").join(" · ")}`,
    ...(notKnown.length > 0 ? [`imported; not known: ${notKnown.map((word) => notKnownWords[word]).join(", ")}`] : []),
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
    ...(lacks("cost") ? [] : [dollars(turn.costUsd)]),
    ...(lacks("time") ? [] : [duration(turn.activeMs)]),
    ...(turn.calls > 0 ? [plural(turn.calls, "call")] : []),
    ...(turn.interventions > 0 ? [plural(turn.interventions, "intervention")] : []),
  ];
  const begin = turn.events[0]?.seq ?? 0;
  const head =
    turn.turn === 0 ? pc.bold("before the first turn") : `${pc.bold(`turn ${turn.turn}`)}  ${sums.join(", ")}  (from event ${begin})`;
  const results = new Map(turn.events.filter(({ t }) => t === "tool.result").map((event) => [String(event.cause[0]), event]));
  const paired = new Set<NumberedEvent>();
  const lines = turn.events.flatMap((event) => {
    if (event.t === "model.request" || event.t === "port.read" || paired.has(event)) return [];
    if (event.lane === snapshotLane && event.t === "fs.snapshot" && !o.full) return []; // the result before it names what was edited
    const result = event.t === "tool.call" ? results.get(`${event.lane}#${event.n}`) : undefined;
    if (result) paired.add(result);
    return [entry(event, result, o)];
  });
  return [head, ...lines].join("\n");
}

/** One event on a line of its own, its text below. */
export function eventLine(event: NumberedEvent, o: RunTextOptions): string {
  const { head, body } = eventText(event, o.notKnown);
  const line = `${String(event.seq).padStart(5)}  ${oneLine(event.t).padEnd(15)} ${oneLine(event.lane)}#${event.n}  ${cut(head, o)}`;
  return [line, ...folded(body, "       ", o)].join("\n");
}

function entry(event: NumberedEvent, result: NumberedEvent | undefined, o: RunTextOptions): string {
  const { head, body } = eventText(event, o.notKnown);
  // who intervened stands in the head
  const lane = laneText(event.t === "middleware" ? event.lane.replace(/\/mw:[^/]*$/, "") : event.lane);
  const place = lane === "" ? "" : `${pc.dim(lane)} `;
  const how = result ? pc.dim(`  → ${oneLine(resultOf(result.d, o.notKnown))}`) : "";
  const said = result ? eventText(result, o.notKnown).body : body;
  return [`  ${place}${coloured(event.t, cut(head, o))}${how}`, ...folded(said, "      ", o)].join("\n");
}

function coloured(t: string, head: string): string {
  if (t === "tool.call") return pc.cyan(head);
  if (t === "middleware") return pc.yellow(head);
  return t === "model.attempt" || t === "limit.hit" || t === "cancel" ? pc.red(head) : head;
}

const cut = (line: string, { full }: RunTextOptions): string =>
  full || line.length <= fold.characters ? line : `${line.slice(0, fold.characters)}…`;

/** A text of others always stands to the right of what is ours. */
function folded(body: string, indent: string, o: RunTextOptions): string[] {
  if (body === "") return [];
  const lines = body.split("\n");
  const shown = o.full ? lines : lines.slice(0, fold.lines);
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) => `${indent}${cut(line, o)}`),
    ...(more > 0 ? [`${indent}${pc.dim(`… ${plural(more, "line")} more`)}`] : []),
  ];
}
