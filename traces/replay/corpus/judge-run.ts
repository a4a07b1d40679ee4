import { plural } from "../../../harness/text/figures.ts";
import { ForgeError, messageOf } from "../../../harness/errors.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { tornText, type TornTail } from "../../read/torn-tail.ts";
import { writerOf } from "../../format/writer-claim.ts";
import type { Divergence } from "../compare/divergence.ts";
import { replayObserved } from "../../observed/replay-observed.ts";
import type { LoadedTrace } from "../../read/load-trace.ts";
import { isObserved, refuseObserved } from "../../read/observed.ts";
import { loadRecording } from "../verify/load-recording.ts";
import type { ReplayParts } from "../replay-parts.ts";
import { replayTrace, type ReplayVerdict } from "../replay-trace.ts";
import { verifyTrace, type TraceCheck } from "../verify/verify-trace.ts";
import { currentConfig } from "../../../harness/config/current-config.ts";
import { requireTrusted, requireTrustedTools } from "../../../harness/trust/trust-code.ts";
import { trustStore } from "../../../harness/trust/trust-store.ts";

const trusted = trustStore();

export interface JudgeOptions {
  readonly verify?: boolean | undefined;
  /** With what is installed in place of what was recorded. */
  readonly current?: boolean | undefined;
  readonly trust?: boolean | undefined;
}

export interface RunAnswer {
  readonly run: string;
  readonly verdict: "whole" | "exact" | "diverged" | "cannot" | "damaged";
  readonly exitCode: number;
  readonly events: number;
  /** What was after the last whole event and was left out; null: nothing. Undefined where the run was not read to its end. */
  readonly torn?: TornTail | null;
  readonly text: string;
  readonly detail?: ReplayVerdict;
  /** With `current`: what is another one than then. */
  readonly changes?: readonly string[];
}

/** The question of `forge replay`: L0 and L1 of one run, or L0 alone. What cannot be done is a verdict too, not thrown. */
export async function judgeRun(run: string, o: JudgeOptions, parts: ReplayParts): Promise<RunAnswer> {
  try {
    const writing = writerOf(run) !== undefined; // before the trace, which may be sealed just now
    if (o.verify) return whole(run, await verifyTrace(run), writing);
    const trace = await loadRecording(run, { observed: true });
    if (isObserved(trace.events[0])) {
      if (o.current) refuseObserved(trace.events[0]);
      return judged(run, trace, await replayObserved(trace), writing);
    }
    const recorded = trace.events[0]?.d["config"] as unknown as ResolvedConfig; // what `run.start` records
    const { registry } = parts;
    const requireKnown = async (config: Pick<ResolvedConfig, "middleware" | "toolFiles">): Promise<void> => {
      await requireTrusted(config, trusted);
      // a replay imports no tool, but for what the model is told of it now
      if (o.current) await requireTrustedTools(config, trusted);
    };
    const now = o.current
      ? await currentConfig(recorded, { registry, ...(o.trust !== true && { requireTrusted: requireKnown }) })
      : undefined;
    const detail = await replayTrace(trace, {
      ...(now ? { config: now.config } : {}),
      async assemble(config) {
        if (o.trust !== true) await requireKnown(config);
        return parts.assemble(config, { trust: o.trust === true });
      },
    });
    const changes = now?.changes ?? [];
    const since = changes.length > 0 ? `\nchanged since: ${changes.join("; ")}` : now ? " (nothing has changed since)" : "";
    const answer = judged(run, trace, detail, writing);
    return { ...answer, text: `${answer.text.trimEnd()}${since}`, ...(now ? { changes } : {}) };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const damaged = error.exitCode === 4;
    return { run, verdict: damaged ? "damaged" : "cannot", exitCode: error.exitCode, events: 0, text: messageOf(error) };
  }
}

function judged(run: string, { seal, torn }: LoadedTrace, detail: ReplayVerdict, writing: boolean): RunAnswer {
  return {
    run,
    verdict: detail.exact ? "exact" : "diverged",
    exitCode: detail.exact ? 0 : 1,
    events: detail.events,
    torn,
    text: describe(detail, { sealed: seal !== undefined, writing, torn }),
    detail,
  };
}

function whole(run: string, { events, requests, blobs, sealed, torn }: TraceCheck, writing: boolean): RunAnswer {
  const unsealed = sealed ? "" : writing ? ", still being written" : ", not sealed";
  const left = torn ? `; ${tornText(torn, { writing })}` : "";
  const text = `${plural(events, "event")}, ${plural(requests, "request")}, ${plural(blobs, "blob")}${unsealed}${left}`;
  return { run, verdict: "whole", exitCode: 0, events, torn, text };
}

function describe(verdict: ReplayVerdict, o: { sealed: boolean; writing: boolean; torn: TornTail | null }): string {
  const { divergence } = verdict;
  const notes = [
    ...stateOf(verdict, o),
    ...(o.torn ? [tornText(o.torn, o)] : []),
    ...(verdict.redacted ? ["secrets were taken out of recorded model output, so the model's real output is not compared"] : []),
  ];
  const note = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  if (verdict.exact) return `exact ${verdict.equal}/${verdict.events}${note}`;
  if (!divergence) return `${verdict.equal}/${verdict.events} events came out again${note}`;
  const by = divergence.middleware === undefined ? "" : ` Last intervention: ${divergence.middleware}.`;
  const turn = divergence.turn === undefined ? "" : `, turn ${divergence.turn}`;
  const head = `diverged after ${verdict.equal}/${verdict.events} events${turn}, class ${divergence.class}: ${divergence.what}${by}${note}`;
  return [head, ...(divergence.nearest ? [nearestText(divergence.nearest)] : []), divergence.diff].join("\n");
}

/** How far the recording goes, where that is not said by its seal. */
function stateOf({ cutOff }: ReplayVerdict, { sealed, writing }: { sealed: boolean; writing: boolean }): string[] {
  if (sealed) return cutOff ? ["the recording ends there: its process was ended"] : [];
  if (writing) return [cutOff ? "the run is still going" : "still being written: more may follow"];
  return [cutOff ? "the recording ends there: its process was ended" : "not sealed"];
}

function nearestText({ at, seq, sameMessages, messages, differs }: NonNullable<Divergence["nearest"]>): string {
  const besides = differs.length > 0 ? `, other ${differs.join(" and ")}` : "";
  return `The nearest recorded request is ${at} (event ${seq}): its first ${sameMessages} of ${messages} messages are the same${besides}.`;
}
