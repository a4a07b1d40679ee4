import { loopsOwn } from "../../../harness/agent/unfinished.ts";
import type { AnyMiddleware } from "../../../harness/contract/middleware.ts";
import type { ResolvedConfig, ResolvedMiddleware } from "../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import type { Divergence } from "../compare/divergence.ts";
import { replayTrace } from "../replay-trace.ts";
import type { Patience } from "../timed-middleware.ts";
import { shadowRun, type Trigger } from "./shadow-run.ts";

/** A place where the other configuration would act, and what the model did there in the recording. */
export interface DryTrigger extends Trigger {
  /** The recorded middleware of that name acted here just so. */
  readonly already: boolean;
  /** The model's next recorded reply, or how the run ended, in one line. */
  readonly next: string;
}

/** What another configuration would have done with one recorded run, without a model. */
export interface DryRun {
  readonly task: string | undefined;
  /** The verifier's word; undefined where there is none. */
  readonly passed: boolean | undefined;
  /** Replies that the model gave in the main lane. */
  readonly turns: number;
  /** Where the requests, or anything else the harness makes, would part from the recording; undefined: nowhere. */
  readonly divergence: Divergence | undefined;
  /** Where a middleware first asks what the recording has no answer to, before anything differs: whether anything would is not known. */
  readonly notKnown: Divergence | undefined;
  /** Names of the middlewares that the recording did not have, or had with other options or in another version. */
  readonly watched: readonly string[];
  /** Recorded acts of middlewares that are changed or gone. */
  readonly before: Readonly<Record<string, number>>;
  readonly triggers: readonly DryTrigger[];
  /** By middleware: phases in which it asked what the recording has no answer to. */
  readonly unanswered: Readonly<Record<string, number>>;
  /** A watched middleware threw, or did not come back. */
  readonly error?: string;
}

/** Both views on one run: the first step that would be another one, and every place where a changed middleware would act. */
export async function dryRun(
  trace: LoadedTrace,
  o: { config: ResolvedConfig; middleware: readonly AnyMiddleware[]; patience?: Patience },
): Promise<DryRun> {
  const { config, middleware, ...held } = o;
  const { divergence: first } = await replayTrace(trace, { config, ...held, assemble: async () => middleware });
  const found = first && { ...first, turn: turnOf(first) };
  const { middleware: recorded, loop } = (trace.events[0]?.d["config"] ?? { middleware: [] }) as unknown as ResolvedConfig; // what `run.start` records
  const isSame = (a: ResolvedMiddleware, b: ResolvedMiddleware): boolean =>
    a.name === b.name &&
    a.version === b.version &&
    a.source?.hash === b.source?.hash &&
    JSON.stringify(a.options) === JSON.stringify(b.options);
  const watched = config.middleware.filter((now) => !recorded.some((then) => isSame(then, now))).map(({ name }) => name);
  const same = config.middleware.map(({ name }) => name).filter((name) => !watched.includes(name));
  const stays = loop === config.loop ? [...same, loopsOwn] : same;
  const shadow = await shadowRun(trace, { config, ...held, middleware: middleware.filter(({ name }) => watched.includes(name)) });
  const acts = trace.events.filter(({ t, d }) => t === "middleware" && !stays.includes(String(d["name"])) && d["change"] !== "no effect");
  const before: Record<string, number> = {};
  for (const { d } of acts) before[String(d["name"])] = (before[String(d["name"])] ?? 0) + 1;
  const verdict = trace.events.findLast(({ t }) => t === "verifier.result")?.d["passed"];
  const trial = (trace.events[0]?.d["meta"] as { trial?: { task?: unknown } } | undefined)?.trial; // told by whoever recorded
  return {
    task: typeof trial?.task === "string" ? trial.task : undefined,
    passed: typeof verdict === "boolean" ? verdict : undefined,
    turns: trace.events.filter(({ t, lane }) => t === "model.response" && lane === "main").length,
    divergence: found?.unanswered ? undefined : found,
    notKnown: found?.unanswered ? found : undefined,
    watched,
    before,
    triggers: shadow.triggers.map((trigger) => ({
      ...trigger,
      turn: turnOf(trigger),
      already: isAlready(acts, trigger),
      next: nextOf(trace, trigger),
    })),
    unanswered: shadow.unanswered,
    ...(shadow.error === undefined ? {} : { error: shadow.error }),
  };
}

/** What is done before the first request is done for it: turns begin at 1. */
const turnOf = ({ turn }: { turn?: number }): number => Math.max(1, turn ?? 1);

function isAlready(acts: readonly RunEvent[], { middleware, lane, change, text, why }: Trigger): boolean {
  return acts.some(
    ({ lane: at, d }) => at === `${lane}/mw:${middleware}` && d["change"] === change && d["text"] === text && d["why"] === why,
  );
}

/** What came next in the same agent's lane. */
function nextOf({ events, lines }: LoadedTrace, { lane, seq, phase }: Trigger): string {
  const owner = phase === "tool" ? lane.slice(0, lane.lastIndexOf("/")) : lane;
  const next = events.find(
    (event, i) => (lines[i]?.seq ?? i) > seq && event.lane === owner && (event.t === "model.response" || event.t === "run.end"),
  );
  if (next?.t !== "model.response") return `the run ended: ${next ? endOf(next) : "its process did"}`;
  const { message, calls } = next.d as unknown as {
    message: { content: { type: string; text?: string; name?: string; args?: unknown }[] };
    calls?: { name: string; args: unknown }[];
  }; // checked by L0
  const call = calls?.[0] ?? message.content.find((part) => part.type === "call");
  if (call) return shorten(`${call.name} ${JSON.stringify(call.args)}`);
  return shorten(`said: ${message.content.map((part) => part.text ?? "").join(" ")}`);
}

const endOf = ({ d }: RunEvent): string => String((d["outcome"] as { type?: unknown } | undefined)?.type);
const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
};
