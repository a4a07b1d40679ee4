import { ForgeError, messageOf } from "../../harness/errors.ts";
import type { ResolvedConfig } from "../../harness/config/resolved.ts";
import { writerOf } from "../../traces/record/writer-claim.ts";
import type { Divergence } from "../../traces/replay/divergence.ts";
import { loadRecording } from "../../traces/replay/load-recording.ts";
import { replayTrace, type ReplayVerdict } from "../../traces/replay/replay-trace.ts";
import { verifyTrace, type TraceCheck } from "../../traces/replay/verify-trace.ts";
import { assembleMiddleware } from "../assemble.ts";
import { currentConfig } from "../current-config.ts";
import { requireTrusted } from "../trust-code.ts";
import { trustStore } from "../trust-store.ts";

const trusted = trustStore();

export interface JudgeOptions {
  readonly verify?: boolean | undefined;
  /** With what is installed today in place of what was recorded. */
  readonly current?: boolean | undefined;
  readonly trust?: boolean | undefined;
}

export interface RunAnswer {
  readonly run: string;
  readonly verdict: "whole" | "exact" | "diverged" | "cannot" | "damaged";
  readonly exitCode: number;
  readonly events: number;
  readonly text: string;
  readonly detail?: ReplayVerdict;
  /** With `current`: what is another one than then. */
  readonly changes?: readonly string[];
}

/** The question of `forge replay`. */
export const create =
  (o: JudgeOptions) =>
  (run: string): Promise<RunAnswer> =>
    judgeRun(run, o);

/** L0 and L1 of one run, or L0 alone. Throws nothing that is a sentence: that is an answer too. */
export async function judgeRun(run: string, o: JudgeOptions): Promise<RunAnswer> {
  try {
    if (o.verify) return whole(run, await verifyTrace(run));
    const trace = await loadRecording(run);
    const recorded = trace.events[0]?.d["config"] as unknown as ResolvedConfig; // what `run.start` records
    const now = o.current ? await currentConfig(recorded, { store: trusted, trust: o.trust === true }) : undefined;
    const detail = await replayTrace(trace, {
      ...(now ? { config: now.config } : {}),
      async assemble(config) {
        if (o.trust !== true) await requireTrusted(config, trusted);
        return assembleMiddleware(config, { trust: o.trust === true });
      },
    });
    const changes = now?.changes ?? [];
    const since = changes.length > 0 ? `\nchanged since: ${changes.join("; ")}` : now ? " (nothing has changed since)" : "";
    const writing = writerOf(run) !== undefined;
    const unsealed = trace.seal || writing || detail.cutOff ? "" : " (not sealed)";
    const text = `${describe(detail, writing).trimEnd()}${unsealed}${since}`;
    return {
      run,
      verdict: detail.exact ? "exact" : "diverged",
      exitCode: detail.exact ? 0 : 1,
      events: detail.events,
      text,
      detail,
      ...(now ? { changes } : {}),
    };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const damaged = error.exitCode === 4;
    return { run, verdict: damaged ? "damaged" : "cannot", exitCode: error.exitCode, events: 0, text: messageOf(error) };
  }
}

function whole(run: string, { events, requests, blobs, sealed, torn }: TraceCheck): RunAnswer {
  const unsealed = sealed ? "" : writerOf(run) ? ", still being written" : ", not sealed";
  const aside = torn > 0 ? `, ${torn} bytes of a torn line set aside` : "";
  const text = `${events} events, ${requests} requests, ${blobs} blobs${unsealed}${aside}`;
  return { run, verdict: "whole", exitCode: 0, events, text };
}

function describe(verdict: ReplayVerdict, writing: boolean): string {
  const { divergence } = verdict;
  const notes = [
    ...(verdict.cutOff ? [writing ? "the run is still going" : "the recording ends there: its process was ended"] : []),
    ...(verdict.redacted ? ["secrets were taken out of recorded model output, so what the model really said is not compared"] : []),
  ];
  const note = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  if (verdict.exact) return `exact ${verdict.equal}/${verdict.events}${note}`;
  if (!divergence) return `${verdict.equal}/${verdict.events} events came out again${note}`;
  const by = divergence.middleware === undefined ? "" : ` Last intervention: ${divergence.middleware}.`;
  const turn = divergence.turn === undefined ? "" : `, turn ${divergence.turn}`;
  const head = `diverged after ${verdict.equal}/${verdict.events} events${turn}, class ${divergence.class}: ${divergence.what}${by}${note}`;
  return [head, ...(divergence.nearest ? [nearestText(divergence.nearest)] : []), divergence.diff].join("\n");
}

function nearestText({ at, seq, sameMessages, messages, differs }: NonNullable<Divergence["nearest"]>): string {
  const besides = differs.length > 0 ? `, other ${differs.join(" and ")}` : "";
  return `The nearest recorded request is ${at} (event ${seq}): its first ${sameMessages} of ${messages} messages are the same${besides}.`;
}
