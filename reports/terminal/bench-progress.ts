import pc from "picocolors";
import type { BenchEvent } from "../../evals/bench-events.ts";
import type { TrialRecord } from "../../evals/trial-record.ts";
import { printable } from "./printable.ts";
import { count, dollars, duration, plural } from "./format.ts";

interface Arm {
  passed: number;
  failed: number;
  unscored: number;
  infra: number;
  tokens: number;
  costUsd: number | null;
}

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Shows a bench while it works: on a terminal a live block (configurations × passed, failed, running, infra, tokens, cost, time left),
 * elsewhere one plain line for each finished trial. Model and task text never reaches the terminal from here.
 */
export function createBenchProgress(stream: ProgressStream, now: () => number): { add(event: BenchEvent): void; end(): void } {
  const live = stream.isTTY === true;
  const arms = new Map<string, Arm>();
  const running = new Map<string, string>();
  const state = { trials: 0, done: 0, before: 0, startedAt: 0, drawn: 0, image: "" };

  const line = (text: string): void => void stream.write(`${text}\n`);
  const erase = (): void => {
    if (state.drawn > 0) stream.write(`\r\u001b[${state.drawn}A\u001b[0J`);
    state.drawn = 0;
  };
  const draw = (): void => {
    if (!live) return;
    erase();
    const width = (stream.columns ?? 100) - 1;
    const lines = [...block(arms, running, now() - state.startedAt, state)].map((text) => text.slice(0, width));
    stream.write(`${lines.join("\n")}\n`);
    state.drawn = lines.length;
  };
  const armOf = (name: string): Arm => {
    const arm = arms.get(name) ?? { passed: 0, failed: 0, unscored: 0, infra: 0, tokens: 0, costUsd: 0 };
    arms.set(name, arm);
    return arm;
  };

  const add = (event: BenchEvent): void => {
    switch (event.type) {
      case "job.wait":
        erase();
        line(`Another runner (process ${event.pid}) works on ${event.job}; waiting for it.`);
        return;
      case "job.start":
        Object.assign(state, { trials: event.trials, done: event.finished, before: event.finished, startedAt: event.ts });
        for (const one of event.configurations)
          arms.set(one.configuration, {
            passed: one.passed,
            failed: one.failed,
            unscored: one.unscored,
            infra: one.infraAttempts,
            tokens: one.tokens.in + one.tokens.out,
            costUsd: one.costUsd,
          });
        line(
          `${event.suite}: ${plural(event.tasks, "task")} × ${plural(event.configurations.length, "configuration")} × ${plural(event.repeats, "repeat")} = ${plural(event.trials, "trial")} in ${event.sandbox}, ${event.jobs} at a time` +
            (event.finished > 0 ? `, ${event.finished} done before` : "") +
            (event.simulated ? pc.yellow(" (simulated model)") : ""),
        );
        break;
      case "image.start":
        state.image = `preparing ${event.task}`;
        if (!live) line(state.image);
        break;
      case "image.line":
        if (!live) return;
        state.image = `preparing ${event.task}: ${printable(event.line).replaceAll("\n", " ")}`;
        break;
      case "image.end":
        state.image = "";
        erase();
        for (const deviation of event.deviations) line(`${event.task}: ${printable(deviation)}`);
        break;
      case "trial.start":
        running.set(placeOf(event.trial), printable(`${event.trial.task} ${event.trial.configuration} #${event.trial.repeat}`));
        break;
      case "trial.retry":
        running.delete(placeOf(event.trial));
        if (event.class === "infra") armOf(event.trial.configuration).infra++;
        erase();
        line(
          `${pc.yellow(event.class)} ${printable(`${event.trial.task} ${event.trial.configuration}`)} #${event.trial.repeat}${event.error === undefined ? "" : `: ${printable(event.error)}`}${event.again ? " (tried again)" : ""}`,
        );
        break;
      case "trial.end":
        running.delete(placeOf(event.trial));
        state.done++;
        tally(armOf(event.record.configuration), event.record);
        if (!live) line(`[${state.done}/${state.trials}] ${describe(event.record)}`);
        break;
      case "job.stop":
        erase();
        if (event.reason === "max-cost") line("The cost limit is reached: no further trial is started.");
        if (event.reason === "asked") line("Stopping: running trials finish first. Press Ctrl-C again to cancel them.");
        break;
      case "job.end":
        erase();
        return;
    }
    draw();
  };
  return { add, end: erase };
}

function* block(
  arms: ReadonlyMap<string, Arm>,
  running: ReadonlyMap<string, string>,
  elapsedMs: number,
  o: { trials: number; done: number; before: number; image: string },
): Generator<string> {
  const fresh = o.done - o.before;
  const left = fresh > 0 ? `, about ${duration((elapsedMs / fresh) * (o.trials - o.done))} left` : "";
  yield `${o.done}/${o.trials} trials, ${running.size} running, ${duration(elapsedMs)}${left}`;
  const width = Math.max(...[...arms.keys()].map((name) => name.length), 1);
  for (const [name, arm] of arms) {
    const infra = arm.infra > 0 ? `  ${arm.infra} infra` : "";
    yield `  ${name.padEnd(width)}  ${arm.passed} passed  ${arm.failed} failed${arm.unscored > 0 ? `  ${arm.unscored} without score` : ""}${infra}  ${count(arm.tokens)} tokens  ${dollars(arm.costUsd)}`;
  }
  if (o.image !== "") yield `  ${o.image}`;
  for (const name of [...running.values()].slice(0, 4)) yield `  … ${name}`;
}

function tally(arm: Arm, record: TrialRecord): void {
  if (record.passed === null) arm.unscored++;
  else if (record.passed) arm.passed++;
  else arm.failed++;
  arm.tokens += record.tokens.in + record.tokens.out;
  arm.costUsd = arm.costUsd === null || record.costUsd === null ? null : arm.costUsd + record.costUsd;
}

function describe(record: TrialRecord): string {
  const outcome = record.passed ? pc.green("passed") : record.passed === null ? pc.yellow(record.class) : pc.red("failed");
  return `${outcome} ${printable(`${record.task} ${record.configuration}`)} #${record.repeat}  ${plural(record.turns, "turn")}, ${duration(record.wallMs)}`;
}

const placeOf = (place: { task: string; configuration: string; repeat: number }): string =>
  `${place.task}\n${place.configuration}\n${place.repeat}`;
