import { InfraError } from "../../../harness/errors.ts";
import type { AnyMiddleware, Next, Phase, Run } from "../../../harness/contract/middleware.ts";

/** A question that the recording does not answer. Like the machinery's other faults it passes through every middleware as it is. */
export class UnansweredError extends InfraError {}

/** What a middleware's word in a phase amounts to. `note`: it said something and changed nothing. */
export type Effect = "block" | "resume" | "inject" | "change" | "note";

/** Hears what a shadowed middleware does. */
export interface ShadowListener {
  unanswered(middleware: string): void;
  /** How many of its questions have got no answer so far. */
  asked(middleware: string): number;
  /** It swallowed that it got no answer: what it announced in the phase rests on a failure that nobody knows of. */
  doubtful(o: { middleware: string; phase: Phase }): void;
  /** The phase is over: what it announced in it had this effect, so far as it is no injection. */
  settled(o: { middleware: string; phase: Phase; effect: Effect }): void;
}

/**
 * A middleware that acts on nothing: it sees each call and reply as recorded, whatever the others would do, and what it changes is noted and
 * dropped. Where it asks what the recording cannot answer, the rest of that phase is left out.
 */
export function shadowed(one: AnyMiddleware, listener: ShadowListener): AnyMiddleware {
  const { name, version } = one;
  const quiet = async <T>(phase: Phase, act: () => Promise<T>, doubtful?: () => void): Promise<T | undefined> => {
    const before = listener.asked(name);
    try {
      const done = await act();
      if (listener.asked(name) === before) return done;
      listener.doubtful({ middleware: name, phase });
      doubtful?.();
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error;
    }
    listener.unanswered(name);
    return undefined;
  };
  /** A phase that is nobody's call. */
  const alone = async <T>(phase: Phase, act: () => Promise<T>): Promise<T | undefined> => {
    const done = await quiet(phase, act);
    listener.settled({ middleware: name, phase, effect: "note" });
    return done;
  };

  const pass = async <In extends object, Out extends object>(
    o: { phase: Phase; call: In; run: Run<unknown>; inParts: readonly (keyof In & string)[]; outParts: readonly (keyof Out & string)[] },
    next: Next<In, Out>,
    act: (next: Next<In, Out>, run: Run<unknown>) => Promise<Out>,
  ): Promise<Out> => {
    const { run, announced } = listened(o.run);
    const changed = new Set<string>();
    let served: Promise<Out> | undefined;
    let passes = 0;
    const through: Next<In, Out> = (sent) => {
      for (const part of o.inParts) if (!same(sent[part], o.call[part])) changed.add(`${part} of the call`);
      passes++;
      return (served ??= next(o.call));
    };
    const before = await quiet(
      o.phase,
      () => act(through, run),
      () => {
        changed.clear();
        passes = 0;
      },
    );
    const blocked = before !== undefined && served === undefined;
    try {
      const given = await (served ?? next(o.call));
      if (before && !blocked) for (const part of o.outParts) if (!same(before[part], given[part])) changed.add(`${part} of the reply`);
      return given;
    } finally {
      // also where the recording ends in the middle of the call
      if (passes > 1) changed.add("how often the call is made");
      const what = blocked ? "answered in place of the call" : changed.size > 0 ? `changed ${[...changed].join(", ")}` : undefined;
      if (what !== undefined && announced() === 0) o.run.intervene(what, "not stated");
      listener.settled({ middleware: name, phase: o.phase, effect: blocked ? "block" : changed.size > 0 ? "change" : "note" });
    }
  };

  const state = one.state?.bind(one);
  return {
    name,
    version,
    ...(state ? { state } : {}),
    ...(one.start ? { start: (run: Run<unknown>) => alone("start", async () => one.start?.(run)) } : {}),
    ...(one.finish ? { finish: (run: Run<unknown>) => alone("finish", async () => one.finish?.(run)) } : {}),
    ...(one.model
      ? {
          model: (call, next, given) =>
            pass(
              {
                phase: "model",
                call,
                run: given,
                inParts: ["system", "messages", "tools", "params"],
                outParts: ["message", "calls", "stop"],
              },
              next,
              (through, run) => act(one.model?.(call, through, run)),
            ),
        }
      : {}),
    ...(one.tool
      ? {
          tool: (call, next, given) =>
            pass(
              { phase: "tool", call, run: given, inParts: ["name", "args"], outParts: ["status", "content", "effects"] },
              next,
              (through, run) => act(one.tool?.(call, through, run)),
            ),
        }
      : {}),
  } satisfies AnyMiddleware;
}

/** The method is there: it was looked for before. */
function act<T>(made: Promise<T> | undefined): Promise<T> {
  if (!made) throw new Error("A phase was requested that the middleware does not have.");
  return made;
}

/** The same run, and how often something was announced through it. */
function listened(run: Run<unknown>): { run: Run<unknown>; announced: () => number } {
  let count = 0;
  const counted = Object.create(run, {
    inject: { value: (text: string, why: string) => (count++, run.inject(text, why)) },
    intervene: { value: (change: string, why: string) => (count++, run.intervene(change, why)) },
  }) as Run<unknown>; // everything else is the run's own
  return { run: counted, announced: () => count };
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
