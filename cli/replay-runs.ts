import pc from "picocolors";
import { ForgeError, messageOf } from "../harness/errors.ts";
import { writerOf } from "../traces/record/writer-claim.ts";
import { loadRecording } from "../traces/replay/load-recording.ts";
import { replayTrace, type ReplayVerdict } from "../traces/replay/replay-trace.ts";
import { verifyTrace, type TraceCheck } from "../traces/replay/verify-trace.ts";
import { plural } from "../reports/terminal/format.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { oneLine, printable } from "../reports/terminal/printable.ts";
import type { ResolvedConfig } from "../harness/config/resolved.ts";
import type { Divergence } from "../traces/replay/divergence.ts";
import { currentConfig } from "./current-config.ts";
import { assembleMiddleware } from "./assemble.ts";
import { findAllRuns } from "./find-runs.ts";
import { createProgress } from "./progress.ts";
import { requireTrusted } from "./trust-code.ts";
import { trustStore } from "./trust-store.ts";

const trusted = trustStore();

interface ReplayOptions {
  readonly verify?: boolean;
  /** With what is installed today in place of what was recorded. */
  readonly current?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
  /** Runs that are as they should be are counted only. */
  readonly brief?: boolean;
}

interface RunAnswer {
  readonly run: string;
  readonly verdict: "whole" | "exact" | "diverged" | "cannot" | "damaged";
  readonly exitCode: number;
  readonly events: number;
  readonly text: string;
  readonly detail?: ReplayVerdict;
  /** With `current`: what is another one than then. */
  readonly changes?: readonly string[];
}

/** L0 or L1 over every run; answers the exit code: the gravest of all. */
export async function replay(folders: readonly string[], o: ReplayOptions): Promise<number> {
  const counts = new Map<string, number>();
  let exitCode = 0;
  const runs = await findAllRuns(folders);
  const progress = createProgress((done) => `${done} of ${runs.length} runs replayed`);
  for (const run of runs) {
    if (o.brief) progress();
    const answer = await judgeRun(run, o);
    counts.set(answer.verdict, (counts.get(answer.verdict) ?? 0) + 1);
    exitCode = Math.max(exitCode, answer.exitCode);
    if (!o.brief || answer.exitCode > 0) show(answer, o.json === true);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const summary = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  if (o.json) process.stdout.write(`${jsonLine({ type: "summary", runs: total, ...Object.fromEntries(counts) })}\n`);
  else if (total > 1 || o.brief) process.stdout.write(`${plural(total, "run")}: ${summary}\n`);
  return exitCode;
}

/** L0 and L1 of one run, or L0 alone. Throws nothing that is a sentence: that is an answer too. */
export async function judgeRun(run: string, o: ReplayOptions): Promise<RunAnswer> {
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
    const text = `${describe(detail, writerOf(run) !== undefined).trimEnd()}${since}`;
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

/** Only what begins a line is ours: a recorded text of several lines stands to the right of it. */
function show(answer: RunAnswer, json: boolean): void {
  if (json) {
    process.stdout.write(`${jsonLine({ type: "run", ...answer })}\n`);
    return;
  }
  const good = answer.exitCode === 0;
  const mark = good ? pc.green("✓") : pc.red("✗");
  (good ? process.stdout : process.stderr).write(
    `${mark} ${oneLine(answer.run)}: ${printable(answer.text.trimEnd()).replaceAll("\n", "\n    ")}\n`,
  );
}
