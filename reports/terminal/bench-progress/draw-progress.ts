import type { Colors } from "picocolors/types.js";
import { plural } from "../../../harness/text/figures.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import { displayWidth, fitMiddle, fitWidth } from "../../text/display-width.ts";
import { roundTime } from "../../text/format.ts";
import { describeProviderPause, preparing } from "./describe-events.ts";
import { drawGrid } from "./draw-grid.ts";
import type { ProgressState, RunningTrial } from "./progress-state.ts";
import { timeLeft } from "./time-left.ts";

/** The block: how far the job is, each configuration's trials, and what runs longest. Every line fits `width` cells, and all of them `height` rows. */
export function drawProgress(
  state: ProgressState,
  o: { readonly now: number; readonly width: number; readonly height: number; readonly pc: Colors },
): string[] {
  const { pc, width, height } = o;
  const head = fitParts(headParts(state, o.now), width);
  const notes = [
    ...(state.paused === undefined ? [] : [pc.yellow(fitWidth(`paused: ${oneLine(state.paused)}`, width))]),
    ...[...state.held]
      .filter(([, until]) => until > o.now)
      .map(([provider, until]) => pc.yellow(fitWidth(describeProviderPause(provider, until - o.now), width))),
    ...[...state.building].map(([image, line]) =>
      pc.dim(fitWidth(`${preparing(state.start)} ${image}${line === "" ? "" : `: ${oneLine(line)}`}`, width)),
    ),
  ].slice(0, 3);
  const running = runningLine(state, o);
  const rest = notes.length + running.length + 1;
  return [head, ...drawGrid(state, { width, rows: Math.max(1, height - rest), pc }), ...running, ...notes].slice(0, height);
}

/** `14/36 · bare 3/5 · standard 6/7 · 2 min left`: how it stands, in one line of a log. */
export function statusLine(state: ProgressState, now: number): string {
  const { start, done, building } = state;
  const arms = [...state.arms].slice(0, 6).map(([name, { passed, failed }]) => `${oneLine(name)} ${passed}/${passed + failed}`);
  const more = state.arms.size - arms.length;
  return [
    `${done}/${start?.trials ?? 0}`,
    ...arms,
    ...(more > 0 ? [`${more} more`] : []),
    ...(building.size > 0 ? [`${preparing(start)} ${plural(building.size, "image")}`] : []),
    timeText(state, now),
  ].join(" · ");
}

/** What a job is made of: `demo`, `2 configurations × 6 tasks × 3`, `docker`. */
function sizeParts({ start }: Pick<ProgressState, "start">): string[] {
  if (!start) return [];
  const size = [plural(start.configurations.length, "configuration"), plural(start.tasks, "task"), String(start.repeats)].join(" × ");
  return [oneLine(start.suite), size, start.sandbox];
}

function headParts(state: ProgressState, now: number): string[] {
  const { start, done } = state;
  return start ? [...sizeParts(state), `${done}/${start.trials}`, timeText(state, now)] : [];
}

/** A narrow terminal loses the size and the sandbox before the name, and never how far the job is. */
function fitParts(parts: readonly string[], width: number): string {
  const [suite = "", size = "", sandbox = "", ...rest] = parts;
  for (const shown of [[suite, size, sandbox, ...rest], [suite, size, ...rest], [suite, ...rest], rest]) {
    const line = shown.join(" · ");
    if (displayWidth(line) <= width) return line;
  }
  return fitWidth(rest.join(" · "), width);
}

function timeText(state: ProgressState, now: number): string {
  const { start, done } = state;
  if (!start) return "";
  if (state.stopping) return `stopping, ${state.running.size} running`;
  const left = timeLeft({
    ended: state.ended,
    running: [...state.running.values()].map(({ place, since }) => ({ task: place.task, elapsedMs: now - since })),
    left: start.trials - done,
    trialsPerTask: start.trials / Math.max(1, start.tasks),
    slots: start.jobs,
  });
  return left ? `${roundTime(Math.max(1_000, Math.round(left.likelyMs / 1000) * 1000))} left` : roundTime(Math.max(0, now - start.ts));
}

/** The trials that began first, as many as fit in one line, and how many more. */
function runningLine(state: ProgressState, { now, width, pc }: { now: number; width: number; pc: Colors }): string[] {
  const running = [...state.running.values()].toSorted((a, b) => a.since - b.since);
  if (running.length === 0) return [];
  const texts = running.map((trial) => `${nameOf(trial)}  ${where(trial)}  ${roundTime(Math.max(0, now - trial.since))}`);
  let line = "running    ";
  for (const [i, text] of texts.entries()) {
    const more = texts.length - i - 1;
    const longer = i === 0 ? `${line}${fitMiddle(text, Math.max(10, width - line.length - 12))}` : `${line} · ${text}`;
    if (i > 0 && displayWidth(longer) + (more > 0 ? ` · ${more} more`.length : 0) > width)
      return [pc.dim(fitWidth(`${line} · ${more + 1} more`, width))];
    line = longer;
  }
  return [pc.dim(fitWidth(line, width))];
}

const nameOf = ({ place }: RunningTrial): string => oneLine(`${place.task}/${place.configuration}/${place.repeat}`);

function where({ step, attempt }: RunningTrial): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  if (!step) return `starting${again}`;
  return step.phase === "verify" ? `verifying${again}` : `turn ${step.turn}${again}`;
}
