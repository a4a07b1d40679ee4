import type { AnyMiddleware, Phase, Run } from "../../harness/contract/middleware.ts";
import { MiddlewareError } from "../../harness/agent/stop.ts";

/** What a phase of a middleware may take for itself, in milliseconds: in a replay it has nothing to wait for. */
const ownMs = 10_000;

/** A phase of a middleware, in its own code. */
export interface PhasePlace {
  /** Empty where it is being loaded. */
  readonly middleware: string;
  /** `load`: before a run, its module and what makes it; `state`: what makes its state for a run. Neither can wait for anything in vain. */
  readonly phase: Phase | "load" | "state";
  readonly lane: string;
  /** Of that lane's agent. */
  readonly turn: number;
  /** Id of the call, in a `tool` phase. */
  readonly call?: string;
}

/** How a middleware that may be of any kind is held to an end. */
export interface Patience {
  /** How long a phase may take for itself, in milliseconds; default: ten seconds. */
  readonly ownMs?: number | undefined;
  /** Hears when a phase's own code begins or goes on, and when it ends or waits for what is not its own: for who can end a thread that it keeps. */
  readonly onPhase?: ((place: PhasePlace, inside: boolean) => void) | undefined;
}

/** Passes on what a middleware waits for that is not its own doing. */
type Outside = <T>(given: Promise<T>) => Promise<T>;

/**
 * For a replay: the same middleware, which fails where it does not come back: a promise that never settles would end the process without a word, or keep a thread
 * for ever. What it asks of the run, and the call that it passes on, takes none of its time. After the first such phase all others fail at once.
 */
export function timed(one: AnyMiddleware, { ownMs: ms = ownMs, onPhase }: Patience = {}): AnyMiddleware {
  const { name, version } = one;
  const making: PhasePlace = { middleware: name, phase: "state", lane: "main", turn: 0 };
  const state =
    one.state &&
    ((): unknown => {
      onPhase?.(making, true);
      try {
        return one.state?.();
      } finally {
        onPhase?.(making, false);
      }
    });
  let late: MiddlewareError | undefined;
  const within = async <T>(phase: Phase, run: Run<unknown>, act: (outside: Outside) => Promise<T>, call?: string): Promise<T> => {
    if (late) throw late;
    const place: PhasePlace = { middleware: name, phase, lane: run.lane, turn: run.spent.turns, ...(call === undefined ? {} : { call }) };
    let timer: NodeJS.Timeout | undefined;
    let waits = 0;
    let isOver = false;
    try {
      return await new Promise<T>((resolve, reject) => {
        // it keeps the process alive: that is what it is for
        const watch = (): void => {
          if (isOver || waits > 0) return;
          timer = setTimeout(() => {
            late ??= new MiddlewareError(
              `The middleware "${name}" did not come back within ${ms / 1000} s in its ${phase} phase. Correct it, or leave it out with {name: ${name}, off: true}.`,
            );
            reject(late);
          }, ms);
        };
        const outside: Outside = (given) => {
          waits++;
          clearTimeout(timer);
          onPhase?.(place, false);
          const back = (): void => {
            waits--;
            watch();
            if (!isOver && waits === 0) onPhase?.(place, true);
          };
          given.then(back, back);
          return given;
        };
        watch();
        onPhase?.(place, true);
        act(outside).then(resolve, reject);
      });
    } finally {
      isOver = true;
      onPhase?.(place, false);
      clearTimeout(timer);
    }
  };
  const { start, model, tool, finish } = one;
  return {
    name,
    version,
    ...(one.rewrites ? { rewrites: true } : {}),
    ...(state ? { state } : {}),
    ...(start ? { start: (run) => within("start", run, async (outside) => start.call(one, asking(run, outside))) } : {}),
    ...(finish ? { finish: (run) => within("finish", run, async (outside) => finish.call(one, asking(run, outside))) } : {}),
    ...(model
      ? {
          model: (call, next, run) =>
            within("model", run, async (outside) => model.call(one, call, (sent) => outside(next(sent)), asking(run, outside))),
        }
      : {}),
    ...(tool
      ? {
          tool: (call, next, run) =>
            within("tool", run, async (outside) => tool.call(one, call, (sent) => outside(next(sent)), asking(run, outside)), call.id),
        }
      : {}),
  } satisfies AnyMiddleware;
}

/** The same run, whose questions take none of the middleware's time. */
function asking(run: Run<unknown>, outside: Outside): Run<unknown> {
  const questions: Pick<Run<unknown>, "exec" | "readFile" | "writeFile" | "model" | "spawn"> = {
    exec: (command, o) => outside(run.exec(command, o)),
    readFile: (path) => outside(run.readFile(path)),
    writeFile: (path, text) => outside(run.writeFile(path, text)),
    model: (call) => outside(run.model(call)),
    spawn: (input) => outside(run.spawn(input)),
  };
  // a copy with its getters as they are: a middleware may spread it
  return Object.create(Object.getPrototypeOf(run) as object, {
    ...Object.getOwnPropertyDescriptors(run),
    ...Object.getOwnPropertyDescriptors(questions),
  }) as Run<unknown>; // everything else is the run's own
}
