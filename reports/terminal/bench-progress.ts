import pc from "picocolors";
import type { BenchEvent } from "../../evals/bench/bench-events.ts";
import { createEventText, describeProviderPause } from "./bench-progress/describe-events.ts";
import { drawProgress, statusLine } from "./bench-progress/draw-progress.ts";
import { createProgressState, type ProgressState } from "./bench-progress/progress-state.ts";
import { createLiveBlock, type ProgressStream } from "../text/live-block.ts";

/** Shows a bench while it works. `end` leaves the stream as a following line of text needs it; safe to call twice. */
export interface BenchProgress {
  add(event: BenchEvent): void;
  end(): void;
}

export interface ProgressOptions {
  readonly now: () => number;
  /** The environment's `NO_COLOR`, `FORCE_COLOR` and `TERM` count. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which a log gets a line though few trials have ended; default 10,000. */
  readonly everyMs?: number;
}

/** The longest time that what is shown is behind. */
const frameMs = 100;
/** In a log. */
const trialsALine = 10;

/**
 * On a terminal one block that is drawn again in place, at most ten times a second; in a log a line every ten trials or ten seconds. What tasks and models wrote is shown in one line without control characters.
 */
export function createBenchProgress(stream: ProgressStream, o: ProgressOptions): BenchProgress {
  const live = stream.isTTY === true && o.env["TERM"] !== "dumb";
  const state = createProgressState();
  return live ? liveProgress(stream, state, o) : plainProgress(stream, state, o);
}

function liveProgress(stream: ProgressStream, state: ProgressState, { now, env }: ProgressOptions): BenchProgress {
  const colours = pc.createColors(!env["NO_COLOR"]);
  const textOf = createEventText(colours, { live: true });
  const block = createLiveBlock(stream);
  let above = "";
  let frame: NodeJS.Timeout | undefined;
  let ended = false;
  const draw = (): void => {
    clearTimeout(frame);
    frame = undefined;
    // One cell and one row are left free: a full last column wraps in some terminals, and the cursor needs its own row.
    const size = { width: Math.max(1, (stream.columns ?? 80) - 1), height: Math.max(1, (stream.rows ?? 24) - 1) };
    const lines = state.start && !ended ? drawProgress(state, { now: now(), ...size, pc: colours }) : [];
    const kept = above;
    above = "";
    block.draw(lines, kept);
  };
  const soon = (): void => {
    frame ??= setTimeout(draw, frameMs).unref();
  };
  const clock = setInterval(draw, 1_000).unref();
  stream.on?.("resize", draw);
  return {
    add(event) {
      if (ended) return;
      state.add(event);
      const text = textOf(event);
      if (text !== undefined) above += `${text}\n`;
      soon();
    },
    end() {
      if (ended) return;
      ended = true;
      clearInterval(clock);
      stream.off?.("resize", draw);
      draw();
    },
  };
}

function plainProgress(stream: ProgressStream, state: ProgressState, { now, env, everyMs = 10_000 }: ProgressOptions): BenchProgress {
  const colours = pc.createColors(Boolean(env["FORCE_COLOR"]) && !env["NO_COLOR"]);
  const textOf = createEventText(colours);
  const line = (text: string): void => void stream.write(`${text}\n`);
  let told = now();
  let ended = 0;
  const status = (): void => {
    if (state.start) line(statusLine(state, now()));
    told = now();
    ended = 0;
  };
  const clock = setInterval(() => {
    if (now() - told >= everyMs) status();
  }, everyMs).unref();
  return {
    add(event) {
      state.add(event);
      const text = textOf(event);
      if (text !== undefined) line(text);
      if (event.type === "provider.pause") line(describeProviderPause(event.provider, event.until - event.ts));
      if (event.type === "trial.end" && ++ended >= trialsALine) status();
    },
    end: () => clearInterval(clock),
  };
}
