import type { AnyMiddleware, Phase, Run } from "../../harness/agent/middleware.ts";
import { MiddlewareError } from "../../harness/agent/stop.ts";

/** What a phase of a middleware may take for itself, in milliseconds: in a replay it has nothing to wait for. */
const ownMs = 10_000;

/** Passes on what a middleware waits for that is not its own doing. */
type Outside = <T>(given: Promise<T>) => Promise<T>;

/**
 * For a replay: the same middleware, which fails where it does not come back: a promise that never settles would end the process without a word, or keep a thread
 * for ever. What it asks of the run, and the call that it passes on, takes none of its time. After the first such phase all others fail at once.
 */
export function timed(one: AnyMiddleware, ms = ownMs): AnyMiddleware {
  const { name, version } = one;
  const state = one.state?.bind(one);
  let late: MiddlewareError | undefined;
  const within = async <T>(phase: Phase, act: (outside: Outside) => Promise<T>): Promise<T> => {
    if (late) throw late;
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
              `The middleware "${name}" did not come back within ${ms / 1000} s in its ${phase} phase. Mend it, or leave it out with {name: ${name}, off: true}.`,
            );
            reject(late);
          }, ms);
        };
        const outside: Outside = (given) => {
          waits++;
          clearTimeout(timer);
          const back = (): void => {
            waits--;
            watch();
          };
          given.then(back, back);
          return given;
        };
        watch();
        act(outside).then(resolve, reject);
      });
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };
  const { start, model, tool, finish } = one;
  return {
    name,
    version,
    ...(state ? { state } : {}),
    ...(start ? { start: (run) => within("start", async (outside) => start.call(one, asking(run, outside))) } : {}),
    ...(finish ? { finish: (run) => within("finish", async (outside) => finish.call(one, asking(run, outside))) } : {}),
    ...(model
      ? {
          model: (call, next, run) =>
            within("model", async (outside) => model.call(one, call, (sent) => outside(next(sent)), asking(run, outside))),
        }
      : {}),
    ...(tool
      ? {
          tool: (call, next, run) =>
            within("tool", async (outside) => tool.call(one, call, (sent) => outside(next(sent)), asking(run, outside))),
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
