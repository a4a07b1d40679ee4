import { copyFileSync, mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import type { JsonObject } from "../../harness/json.ts";
import { createEventRedactor, type MakeRedactor, type TakenOut } from "../export/redact-events.ts";
import type { LoadedTrace } from "../read/load-trace.ts";
import { readTrace } from "../read/read-trace.ts";
import { openTraceBytes } from "../read/trace-bytes.ts";
import { blobsOf } from "../format/decode.ts";
import { recordTrace } from "../record/record-trace.ts";
import { loadRecording } from "../replay/verify/load-recording.ts";
import { createRequestRehasher } from "./rehash-requests.ts";

export interface RewrittenRun {
  readonly events: number;
  readonly takenOut: TakenOut;
  /** False: the very bytes that there were. */
  readonly changed: boolean;
  /** Hash of the first event, then and now. */
  readonly start: { readonly before: string; readonly after: string };
}

/**
 * Writes a sealed run once more with secrets taken out: as if the recorder had known them. Sequence, times and lanes stay; hashes and the seal are new. A run
 * in which there is nothing to take out is copied byte for byte, payloads that no event names left out. `starts` maps the first hashes of other rewritten
 * runs, by which a run that went on from one finds it.
 * @throws CannotError for a run without a seal; DamagedError for one that fails its hashes
 */
export async function rewriteRun(
  folder: string,
  to: string,
  o: { readonly makeRedactor: MakeRedactor; readonly starts: ReadonlyMap<string, string> },
): Promise<RewrittenRun> {
  const trace = await loadRecording(folder, { imported: true });
  const { seal } = trace;
  if (!seal)
    throw new CannotError(`The run in ${folder} has no seal: it is still going, or was cut off (forge traces recover ${folder} seals it).`);
  const redactor = createEventRedactor(o.makeRedactor);
  const events = trace.events.map((event) => marked(redactor.redacted(withParent(event, o.starts)), event));
  const before = trace.lines[0]?.h ?? "";
  const shared = { events: events.length, takenOut: redactor.takenOut() };
  if (events.every((event, i) => event === trace.events[i])) {
    await copyRun(trace, to);
    return { ...shared, changed: false, start: { before, after: before } };
  }
  record(events, trace, { to, workspace: seal.workspace });
  for await (const { event } of readTrace(to)) return { ...shared, changed: true, start: { before, after: event.h } };
  throw new Error("A trace that was just written has a first event.");
}

/** What a model said and is not recorded as it was says so, or replay would take the record for the truth. */
const marked = (event: RunEvent, before: RunEvent): RunEvent =>
  event !== before && event.t === "model.response" && event.d["redacted"] !== true
    ? { ...event, d: { ...event.d, redacted: true } }
    : event;

function withParent(event: RunEvent, starts: ReadonlyMap<string, string>): RunEvent {
  const meta = event.t === "run.start" ? (event.d["meta"] as JsonObject) : {}; // checked by L0
  const { parent } = meta;
  if (typeof parent !== "object" || parent === null || Array.isArray(parent)) return event;
  const start = starts.get(String(parent["start"]));
  return start === undefined ? event : { ...event, d: { ...event.d, meta: { ...meta, parent: { ...parent, start } } } };
}

function record(events: readonly RunEvent[], { lines }: LoadedTrace, o: { to: string; workspace: string | null }): void {
  const now = { ts: 0, dt: 0 };
  const trace = recordTrace(o.to, { clock: { now: () => now.ts, sleep: async () => undefined }, micros: () => now.dt, sync: false });
  try {
    const rehash = createRequestRehasher();
    for (const [i, event] of events.entries()) {
      Object.assign(now, { ts: lines[i]?.ts ?? 0, dt: lines[i]?.dt ?? 0 });
      trace.emit(rehash(event));
    }
    trace.seal(o.workspace);
  } finally {
    trace.close();
  }
}

async function copyRun(trace: LoadedTrace, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  await writeFile(join(to, "trace.jsonl"), openTraceBytes(trace.folder).chunks(), { flag: "wx" });
  const needed = new Set(trace.lines.flatMap(({ d }) => blobsOf(d, (hash) => trace.blobs.get(hash)).map(({ hash }) => hash)));
  for (const hash of needed) {
    const path = join(to, "blobs", hash.slice(0, 2), hash);
    mkdirSync(dirname(path), { recursive: true });
    await writeFile(path, trace.blobs.get(hash)); // by its checked content: what lies there may be a link
  }
  copyFileSync(join(trace.folder, "seal.json"), join(to, "seal.json"));
}
