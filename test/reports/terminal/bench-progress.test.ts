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

describe("the block of a running bench", () => {
  it("shows how far it is, each configuration's trials by task with what it has used so far, and what runs", () => {
    const lines = draw(
      [
        { ...start("bare", "mine"), taskNames: ["a", "b", "c", "d", "e"] } as BenchEvent, // of its own type
        begin(place("a", "bare")),
        end(place("a", "bare"), true),
        begin(place("a", "mine")),
        end(place("a", "mine"), false),
        begin(place("b", "mine", 2)),
        { type: "trial.retry", ts: t0, trial: place("b", "mine", 2), attempt: 1, class: "infra", again: true },
        begin(place("b", "mine", 2), t0 + 5_000),
        step(place("b", "mine", 2), 3, "bash: make"),
      ],
      { width: 80 },
    );
    expect(lines).toEqual([
      "demo · 2 configurations × 5 tasks × 2 · docker · 2/20 · 65 s",
      "bare      ✓· ·· ·· ·· ··   1/1   100 %   1.0k   $1.00",
      "mine      ✗· ·· ·· ·· ··   0/1     0 %   1.5k   $1.25   1 infra error",
      "running    b/mine/2  turn 3  60 s",
    ]);
  });

  it("draws a bar where the trials have no room, and loses columns before a name can no longer be told", () => {
    const many = { ...start("standard-text", "bare-text"), tasks: 92, repeats: 3, trials: 552 } as BenchEvent; // of its own type
    const done = Array.from({ length: 60 }, (_, i) => place(`t${i}`, "standard-text"));
    const events = [many, ...done.flatMap((trial, i) => [begin(trial), end(trial, i % 2 === 0)])];
    const [head, row] = draw(events, { width: 80 });
    expect(head).toMatch(/^demo · 2 configurations × 92 tasks × 3 · docker · 60\/552 · .* left$/);
    expect(row).toMatch(/^standard-text {3}✓+✗+·+ {3}30\/60 {3}50 % {3}60k +\$60\.00$/);
    const [narrow = "", line = ""] = draw(events, { width: 40 });
    expect(narrow).toMatch(/^demo · 60\/552 · .* left$/);
    expect(line).toMatch(/^standard-text {3}[✓✗·]+ {3}30\/60/);
  });

  it("marks what an earlier run finished by its task, and a trial without a score", () => {
    const before = { ...arm("bare"), trials: 2, passed: 1, unscored: 1 };
    const outcomes = [
      { ...place("b", "bare", 2), passed: true },
      { ...place("c", "bare"), passed: null },
    ];
    const job = { ...start("bare"), finished: 2, configurations: [before], taskNames: ["a", "b", "c", "d", "e"], outcomes } as BenchEvent; // of its own type
    expect(draw([job])[1]).toMatch(/^bare {6}·· ·✓ \?· ·· ·· {3}1\/1/);
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

  it("shows a cost that is charged alone", () => {
    const paid = end(place("a", "mine"), true);
    const madeUp = end(place("a", "sim-a"), true);
    const simulated = { ...start("sim-a", "mine"), configurations: [arm("sim-a"), arm("mine")] } as BenchEvent; // of its own type
    const lines = draw([simulated, madeUp, paid]);
    expect([/\$/.test(lines[1] ?? ""), /\$1\.00/.test(lines[2] ?? "")]).toEqual([false, true]);
  });

  it("tells the time left once three trials have ended", () => {
    const some = ["a", "b", "c"].flatMap((task, i) => [begin(place(task, "bare")), end(place(task, "bare"), true, t0 + 4_000 + 1_000 * i)]);
    expect(draw([start("bare"), ...some], { now: t0 + 7_000 })[0]).toMatch(/ · 3\/10 · 9\.0 s left$/);
    expect(draw([start("bare"), ...some.slice(0, 4)], { now: t0 + 7_000 })[0]).toMatch(/ · 2\/10 · 7\.0 s$/);
  });

  it("counts the configurations that a low terminal has no room for, and keeps running trials in sight", () => {
    const names = Array.from({ length: 16 }, (_, i) => `standard · loop-detection.fileSoft=${i}`);
    const lines = draw([start(...names), begin(place("a", names[0] ?? "")), begin(place("b", names[1] ?? ""))], { width: 79, height: 13 });
    expect(lines.length).toBeLessThanOrEqual(13);
    const shown = lines.filter((line) => line.includes("fileSoft=") && !line.startsWith("running"));
    const told = lines.find((line) => /^… (\d+) more$/.test(line));
    expect(Number(/\d+/.exec(told ?? "")?.[0]) + shown.length).toBe(16);
    expect(lines.at(-1)).toMatch(/^running {4}a\/standard/);
  });

  it("cuts long names where they are alike, so that each can be told from the others", () => {
    const names = Array.from({ length: 12 }, (_, i) => `standard · loop-detection.fileSoft=${i}`);
    const lines = draw([start(...names)], { width: 60, height: 40 }).filter((line) => line.startsWith("st"));
    expect(new Set(lines.map((line) => line.split("   ")[0])).size).toBe(12);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(60);
  });

  it("names the running trials that began first, which of them are being verified, and counts the others", () => {
    const lines = draw(
      [
        start("bare"),
        ...Array.from({ length: 8 }, (_, i) => begin(place(`t${i}`, "bare"), t0 + 1_000 * (8 - i))),
        step(place("t7", "bare"), 9, "bash: x", "verify"),
      ],
      { width: 80 },
    );
    expect(lines[2]).toBe("running    t7/bare/1  verifying  64 s · t6/bare/1  starting  63 s · 6 more");
  });

  it("says why nothing starts, and what is being built", () => {
    const lines = draw([
      start("bare"),
      { type: "job.pause", ts: t0, reason: "Only 1 GB is free." },
      { type: "image.start", ts: t0, task: "a" },
      { type: "image.line", ts: t0, task: "a", line: "Step 2/4 : RUN make" },
    ]);
    expect(lines.slice(2)).toEqual(["paused: Only 1 GB is free.", "building a: Step 2/4 : RUN make"]);
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
    expect(draw(events, { now: t0 + 2_000 }).slice(2)).toEqual([
      expect.stringMatching(/^local at http:\/\/me[^\p{Cc}]* limits the rate: nothing is sent to it for 5\.0 s$/u) as unknown,
      "building a (verifier)",
    ]);
    expect(
      draw([...events, { type: "image.end", ts: t0, task: "a", verifier: true, digest: "d", deviations: [] }], { now: t0 + 8_000 }),
    ).toHaveLength(2);
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
    await expect.poll(() => screen.text().at(-1)).toMatch(/a\/bare\/1 {2}starting {2}1\.0 s$/);
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
    expect(screen.text()).toEqual([
      "infra a/bare/1: The daemon �[31mwent away. (tried",
      "again)",
      "demo · 0/10 · 1.0 s",
      expect.stringMatching(/^bare +·· ·· ·· ·· ·· {3}0\/0/) as unknown,
    ]);
    shown.end();
    expect(screen.text()).toHaveLength(2);
    expect(screen.listeners.size).toBe(0);
  });

  it("is plain lines in a log: one every ten trials, or after some seconds, and none for each trial or step", async () => {
    const lines: string[] = [];
    let time = t0 + 5_000;
    shown = createBenchProgress({ write: (text) => lines.push(text) }, { now: () => time, env: {}, everyMs: 20 });
    const trials = Array.from({ length: 12 }, (_, i) => place(`t${i}`, "bare"));
    const job = { ...start("bare"), trials: 30 } as BenchEvent; // of its own type
    for (const event of [job, ...trials.flatMap((trial) => [begin(trial), step(trial, 1, "x"), end(trial, true)])]) shown.add(event);
    expect(lines).toEqual([
      "demo · 1 configuration × 5 tasks × 2 · docker · 30 trials\n",
      expect.stringMatching(/^10\/30 · bare 10\/10 · .* left\n$/) as unknown,
    ]);
    time += 20;
    await expect.poll(() => lines.at(-1)).toMatch(/^12\/30 · bare 12\/12 · .* left\n$/);
    shown.end();
    // eslint-disable-next-line no-control-regex -- that there is none is the point
    expect(lines.join("")).not.toMatch(/\u001b/);
  });
});
