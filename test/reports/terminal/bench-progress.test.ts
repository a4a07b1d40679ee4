import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import pc from "picocolors";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { createBenchProgress, type BenchProgress } from "../../../reports/terminal/bench-progress.ts";
import { drawProgress } from "../../../reports/terminal/bench-progress/draw-progress.ts";
import { createProgressState } from "../../../reports/terminal/bench-progress/progress-state.ts";
import { displayWidth } from "../../../reports/text/display-width.ts";
import { createScreen } from "../text/screen.ts";

const plain = pc.createColors(false);
const t0 = 1_000_000;
const place = (task: string, configuration: string, repeat = 1): TrialPlace => ({ task, configuration, repeat });
/** One whose name begins with "sim" has a simulated model. */
const arm = (configuration: string) => ({
  configuration,
  harnessHash: "h",
  model: configuration.startsWith("sim") ? "sim/default" : "openai/some",
  simulated: configuration.startsWith("sim"),
  trials: 0,
  passed: 0,
  failed: 0,
  unscored: 0,
  infraAttempts: 0,
  tokens: { in: 0, out: 0, cached: 0 },
  costUsd: 0,
  turns: 0,
  interventions: 0,
  activeMs: 0,
  wallMs: 0,
});
const start = (...names: string[]): BenchEvent => ({
  type: "job.start",
  ts: t0,
  job: "j",
  folder: "/jobs/j",
  suite: "demo",
  agent: "configured",
  sandbox: "docker",
  modes: ["hardened"],
  simulated: false,
  tasks: 5,
  repeats: 2,
  trials: 10 * names.length,
  finished: 0,
  jobs: 4,
  configurations: names.map(arm),
});
const begin = (trial: TrialPlace, ts = t0): BenchEvent => ({ type: "trial.start", ts, trial, attempt: 1 });
const step = (trial: TrialPlace, turn: number, command: string | null, phase: "agent" | "verify" = "agent"): BenchEvent => ({
  type: "trial.step",
  ts: t0,
  trial,
  attempt: 1,
  step: { phase, turn, command, tokens: 500, costUsd: 0.25 },
});
function end(trial: TrialPlace, passed: boolean | null, ts = t0 + 5_000): BenchEvent {
  const record = {
    ...trial,
    passed,
    class: passed === null ? "infra" : "agent",
    tokens: { in: 900, out: 100, cached: 0 },
    costUsd: 1,
    turns: 3,
    wallMs: 5_000,
  };
  return { type: "trial.end", ts, trial, record: record as TrialRecord }; // the fields that progress reads
}
function draw(events: readonly BenchEvent[], o: { width?: number; height?: number; now?: number } = {}): string[] {
  const state = createProgressState();
  for (const event of events) state.add(event);
  return drawProgress(state, { now: o.now ?? t0 + 65_000, width: o.width ?? 100, height: o.height ?? 24, pc: plain });
}

describe("the table of a running bench", () => {
  it("counts each configuration's trials, running ones with what they have used so far", () => {
    const lines = draw([
      start("bare", "mine"),
      begin(place("a", "bare")),
      end(place("a", "bare"), true),
      begin(place("a", "mine")),
      end(place("a", "mine"), false),
      begin(place("b", "mine")),
      { type: "trial.retry", ts: t0, trial: place("b", "mine"), attempt: 1, class: "infra", again: true },
      begin(place("b", "mine"), t0 + 5_000),
      step(place("b", "mine"), 3, "bash: make"),
    ]);
    expect(lines.slice(0, 4)).toEqual([
      "configuration  passed  failed  running  waiting  infra  tokens   cost",
      "bare                1       0        0        9      0    1.0k  $1.00",
      "mine                0       1        1        8      1    1.5k  $1.25",
      "all                 1       1        1       17      1    2.5k  $2.25",
    ]);
    expect(lines[4]).toMatch(/^█+░+ +10 % {2}2\/20 trials, 1 min 05 s$/);
    expect(lines[5]).toMatch(/^ +1 min 00 s {2}b mine #1 {2}turn 3 {2}bash: make$/);
  });

  it("goes on counting what a trial used that was cancelled or is tried again, and its last attempt once", () => {
    const [one, two] = [place("t1", "a"), place("t2", "a")];
    const retry = (trial: TrialPlace, kind: "cancelled" | "infra"): BenchEvent => ({
      type: "trial.retry",
      ts: t0,
      trial,
      attempt: 1,
      class: kind,
      again: false,
    });
    const state = createProgressState();
    const told = [start("a"), begin(one), step(one, 1, "ls"), retry(one, "cancelled"), begin(two), step(two, 1, "ls"), retry(two, "infra")];
    for (const event of told) state.add(event);
    expect(state.arms.get("a")).toMatchObject({ tokens: 1_000, costUsd: 0.5 });
    const last = end(two, null);
    if (last.type === "trial.end") state.add({ ...last, record: { ...last.record, attempt: 1 } });
    expect(state.arms.get("a")).toMatchObject({ tokens: 1_500, costUsd: 1.25 });
  });

  it("says of each cost that nobody is charged, and adds up what is charged alone", () => {
    const paid = end(place("a", "mine"), true);
    const madeUp = (name: string): BenchEvent => end(place("a", name), true);
    const costs = (...events: BenchEvent[]): (string | undefined)[] =>
      draw(events)
        .filter((line) => /\$/.test(line))
        .map((line) => /\$.*$/.exec(line)?.[0]);
    expect(costs(start("sim-a", "mine"), madeUp("sim-a"), paid)).toEqual(["$1.00 simulated", "$1.00", "$1.00"]);
    expect(costs(start("sim-a", "sim-b"), madeUp("sim-a"), madeUp("sim-b"))).toEqual([
      "$1.00 simulated",
      "$1.00 simulated",
      "$2.00 simulated",
    ]);
  });

  it("tells the time left with its range once three trials have ended", () => {
    const some = ["a", "b", "c"].flatMap((task, i) => [begin(place(task, "bare")), end(place(task, "bare"), true, t0 + 4_000 + 1_000 * i)]);
    expect(draw([start("bare"), ...some], { now: t0 + 7_000 })[2]).toMatch(
      /3\/10 trials, 7\.0 s, about 8\.8 s left \(\d\.\d s – \d+(\.\d)? s\)$/,
    );
  });

  it("counts the configurations that a low terminal has no room for, and keeps running trials and the sum in sight", () => {
    const names = Array.from({ length: 16 }, (_, i) => `standard · loop-detection.fileSoft=${i}`);
    const lines = draw([start(...names), begin(place("a", names[0] ?? "")), begin(place("b", names[1] ?? ""))], { width: 79, height: 13 });
    expect(lines.length).toBeLessThanOrEqual(13);
    const shown = lines.filter((line) => line.includes("fileSoft="));
    const told = lines.findIndex((line) => /^… (\d+) more$/.test(line));
    expect(Number(/\d+/.exec(lines[told] ?? "")?.[0]) + shown.length).toBe(16);
    expect(lines[told + 1]).toMatch(/^all /);
    expect(lines.filter((line) => line.includes("starting"))).toHaveLength(2);
  });

  it("cuts long names where they are alike, so that each can be told from the others", () => {
    const names = Array.from({ length: 12 }, (_, i) => `standard · loop-detection.fileSoft=${i}`);
    const lines = draw([start(...names)], { width: 60, height: 40 }).filter((line) => line.startsWith("st"));
    expect(new Set(lines.map((line) => line.split("  ")[0])).size).toBe(12);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(60);
  });

  it("loses nothing of the time left in a narrow terminal", () => {
    const some = ["a", "b", "c"].flatMap((task, i) => [begin(place(task, "bare")), end(place(task, "bare"), true, t0 + 4_000 + 1_000 * i)]);
    const at = (width: number): string[] => draw([start("bare"), ...some], { now: t0 + 7_000, width }).slice(2);
    const [whole = ""] = at(100);
    expect(at(75)).toEqual([whole.replace(/[█░]+/, "███░░░░░░░░░░")]); // a shorter bar
    const status = whole.replace(/^.*% {2}/, "");
    expect(at(40).length).toBeGreaterThan(1);
    expect(at(40).join(" ")).toBe(status);
  });

  it("shows the slowest running trials first, and which of them are being verified", () => {
    const lines = draw([
      start("bare"),
      ...Array.from({ length: 8 }, (_, i) => begin(place(`t${i}`, "bare"), t0 + 1_000 * (8 - i))),
      step(place("t7", "bare"), 9, "bash: x", "verify"),
    ]);
    expect(lines.slice(3).map((line) => line.trim())).toEqual([
      "1 min 04 s  t7 bare #1  turn 9  verifying",
      "1 min 03 s  t6 bare #1  starting",
      "1 min 02 s  t5 bare #1  starting",
      "1 min 01 s  t4 bare #1  starting",
      "1 min 00 s  t3 bare #1  starting",
    ]);
  });

  it("counts a trial that an earlier run left without a score as running when it is tried again", () => {
    const before = { ...arm("bare"), trials: 10, passed: 9, unscored: 1 };
    const job = { ...start("bare"), finished: 9, configurations: [before] } as BenchEvent; // of its own type
    expect(draw([job, begin(place("a", "bare"))])[1]).toMatch(/^bare +9 +0 +1 +0 +0 /);
    expect(draw([job, begin(place("a", "bare")), end(place("a", "bare"), true)])[1]).toMatch(/^bare +10 +0 +0 +0 +0 /);
  });

  it("says why nothing starts, and what is being built", () => {
    const lines = draw([
      start("bare"),
      { type: "job.pause", ts: t0, reason: "Only 1 GB is free." },
      { type: "image.start", ts: t0, task: "a" },
      { type: "image.line", ts: t0, task: "a", line: "Step 2/4 : RUN make" },
    ]);
    expect(lines.slice(3)).toEqual(["paused: Only 1 GB is free.", "building a: Step 2/4 : RUN make"]);
    const confined = { ...start("bare"), sandbox: "bubblewrap" } as BenchEvent; // of its own type
    expect(draw([confined, { type: "image.start", ts: t0, task: "a" }]).at(-1)).toBe("preparing a");
  });

  it("says which provider is held back, for as long as it is, and tells a verifier's image from its task's", () => {
    const events: BenchEvent[] = [
      start("bare"),
      { type: "provider.pause", ts: t0, provider: "local at http://me\u001b[2J", until: t0 + 7_000 },
      { type: "provider.pause", ts: t0, provider: "openai", until: t0 - 1 },
      { type: "image.start", ts: t0, task: "a", verifier: true },
    ];
    expect(draw(events, { now: t0 + 2_000 }).slice(3)).toEqual([
      expect.stringMatching(/^local at http:\/\/me[^\p{Cc}]* asks for less: nothing is sent to it for 5\.0 s$/u) as unknown,
      "building a (verifier)",
    ]);
    expect(
      draw([...events, { type: "image.end", ts: t0, task: "a", verifier: true, digest: "d", deviations: [] }], { now: t0 + 8_000 }),
    ).toHaveLength(3);
  });

  it("fits every terminal, whatever names and commands there are", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.string({ unit: "binary" }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 40 }),
        (names, command, width, height) => {
          const trials = names.map((one) => place(one, one));
          const lines = draw([start(...names), ...trials.map((trial) => begin(trial)), ...trials.map((trial) => step(trial, 1, command))], {
            width,
            height,
          });
          expect(lines.length).toBeLessThanOrEqual(height);
          // A terminal of fewer cells than the numbers need shows what it can.
          if (width >= 40) expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
          expect(lines.join("")).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });
});

describe("progress", () => {
  let shown: BenchProgress | undefined;
  afterEach(() => shown?.end());

  it("draws on a terminal in place, keeps notes above, follows its size, and leaves a clean line at the end", async () => {
    const screen = createScreen(100, 20);
    shown = createBenchProgress(screen, { now: () => t0 + 1_000, env: { NO_COLOR: "1" } });
    shown.add(start("bare"));
    for (let i = 0; i < 50; i++) shown.add(step(place("a", "bare"), i, "x"));
    shown.add(begin(place("a", "bare")));
    await expect.poll(() => screen.text().at(-1)).toMatch(/a bare #1 {2}starting$/);
    expect(screen.writes.length).toBeLessThan(5);
    shown.add({
      type: "trial.retry",
      ts: t0,
      trial: place("a", "bare"),
      attempt: 1,
      class: "infra",
      error: "The daemon\n\u001b[31mwent away.",
      again: true,
    });
    screen.resize({ columns: 50, rows: 20 });
    expect(screen.text().slice(0, 6)).toEqual([
      "demo: 5 tasks × 1 configuration × 2 repeats = 10 t",
      "rials in docker, 4 at a time",
      "infra a bare #1: The daemon �[31mwent away. (tried",
      " again)",
      "configuration  passed  failed  running  infra",
      "bare                0       0        0      1",
    ]);
    expect(screen.text()).toHaveLength(7);
    shown.end();
    expect(screen.text()).toHaveLength(4);
    expect(screen.listeners.size).toBe(0);
  });

  it("is plain lines where it is piped: one for each finished trial, and how it stands from time to time", async () => {
    const lines: string[] = [];
    const now = () => t0 + 5_000;
    shown = createBenchProgress({ write: (text) => lines.push(text) }, { now, env: {}, everyMs: 20 });
    for (const event of [
      start("bare"),
      begin(place("a", "bare")),
      step(place("a", "bare"), 1, "x"),
      end(place("a", "bare"), true),
      begin(place("b", "bare")),
    ])
      shown.add(event);
    await expect.poll(() => lines).toContain("1/10 trials, 5.0 s, 1 running\n");
    expect(lines.slice(0, 2)).toEqual([
      "demo: 5 tasks × 1 configuration × 2 repeats = 10 trials in docker, 4 at a time\n",
      "[1/10] passed a bare #1  3 turns, 5.0 s\n",
    ]);
    shown.end();
    // eslint-disable-next-line no-control-regex -- that there is none is the point
    expect(lines.join("")).not.toMatch(/\u001b/);
  });
});
