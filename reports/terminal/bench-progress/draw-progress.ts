import type { Colors } from "picocolors/types.js";
import { displayWidth, fitWidth, padWidth } from "../../text/display-width.ts";
import { duration, percent } from "../../text/format.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { describeProviderPause, nameOf, preparing } from "./describe-events.ts";
import { drawTable } from "./draw-table.ts";
import type { ProgressState, RunningTrial } from "./progress-state.ts";
import { timeLeft } from "./time-left.ts";

/** Running trials that are shown: the slowest. */
const mostRunning = 5;
/** Of them so many stay where the table alone would fill the terminal. */
const fewestRunning = 2;
const barCells = 20;
const shortestBar = 5;

/** The block: the table, how far it is, and what takes longest right now. Every line fits `width` cells, and all of them `height` rows. */
export function drawProgress(
  state: ProgressState,
  o: { readonly now: number; readonly width: number; readonly height: number; readonly pc: Colors },
): string[] {
  const { pc, width, height } = o;
  const status = drawStatus(state, o.now, width);
  const notes = [
    ...(state.paused === undefined ? [] : [pc.yellow(fitWidth(`paused: ${oneLine(state.paused)}`, width))]),
    ...[...state.held]
      .filter(([, until]) => until > o.now)
      .map(([provider, until]) => pc.yellow(fitWidth(describeProviderPause(provider, until - o.now), width))),
    ...[...state.building].map(([image, line]) =>
      pc.dim(fitWidth(`${preparing(state.start)} ${image}${line === "" ? "" : `: ${oneLine(line)}`}`, width)),
    ),
  ].slice(0, 3);
  const kept = Math.min(state.running.size, fewestRunning);
  const table = drawTable(state, { width, rows: Math.max(2, height - status.length - notes.length - kept), pc });
  const room = height - table.length - status.length - notes.length;
  return [...table, ...status, ...notes, ...slowest(state, { ...o, rows: Math.min(room, mostRunning) })].slice(0, height);
}

/** `30/60 trials, 6 min 10 s, about 5 min 40 s left (4 min 10 s – 8 min 02 s)`. */
export function statusLine(state: ProgressState, now: number): string {
  return statusParts(state, now).join(" ");
}

/** The parts of the status between which a narrow terminal may break the line. */
function statusParts(state: ProgressState, now: number): string[] {
  const { start, done } = state;
  if (!start) return [];
  const left = timeLeft({
    ended: state.ended,
    running: [...state.running.values()].map(({ place, since }) => ({ task: place.task, elapsedMs: now - since })),
    left: start.trials - done,
    trialsPerTask: start.trials / Math.max(1, start.tasks),
    slots: start.jobs,
  });
  const stopping = state.stopping ? ", stopping" : "";
  const first = `${done}/${start.trials} trials, ${duration(now - start.ts)}`;
  if (!left) return [first + stopping];
  return [`${first},`, `about ${duration(left.likelyMs)} left`, `(${duration(left.lowMs)} – ${duration(left.highMs)})${stopping}`];
}

/** The bar and the status in one line; where that is too narrow, a shorter bar, then none and more lines. */
function drawStatus(state: ProgressState, now: number, width: number): string[] {
  const parts = statusParts(state, now);
  const line = parts.join(" ");
  const percentCells = 8;
  const cells = Math.min(barCells, width - displayWidth(line) - 2 - percentCells);
  if (cells >= shortestBar) return [`${bar(state, cells)}  ${line}`];
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""} ${part}`;
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.map((one) => fitWidth(one, width));
}

function bar({ start, done }: ProgressState, cells: number): string {
  const share = start && start.trials > 0 ? done / start.trials : 0;
  const full = Math.floor(share * cells);
  return `${"█".repeat(full)}${"░".repeat(cells - full)} ${percent(share).padStart(7)}`;
}

/** The running trials that began first: name, time, turn and last command. */
function slowest(state: ProgressState, o: { now: number; width: number; rows: number; pc: Colors }): string[] {
  const running = [...state.running.values()].toSorted((a, b) => a.since - b.since).slice(0, Math.max(0, o.rows));
  const names = running.map(({ place }) => nameOf(place));
  const nameWidth = Math.min(Math.max(0, ...names.map(displayWidth)), Math.max(16, Math.floor(o.width * 0.4)));
  return running.map((trial, i) => {
    const time = duration(o.now - trial.since).padStart(11);
    const line = `${time}  ${padWidth(names[i] ?? "", nameWidth)}  ${where(trial)}`;
    return o.pc.dim(fitWidth(line, o.width));
  });
}

function where({ step, attempt }: RunningTrial): string {
  const again = attempt > 1 ? ` (attempt ${attempt})` : "";
  if (!step) return `starting${again}`;
  if (step.phase === "verify") return `turn ${step.turn}  verifying${again}`;
  return `turn ${step.turn}${again}${step.command === null ? "" : `  ${oneLine(step.command)}`}`;
}
