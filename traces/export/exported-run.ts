import { CannotError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import type { TornTail } from "../read/torn-tail.ts";
import { writerOf } from "../format/writer-claim.ts";
import { loadRecording } from "../replay/verify/load-recording.ts";
import { checkSpeech } from "./check-speech.ts";
import { createEventRedactor, type MakeRedactor, type TakenOut } from "./redact-events.ts";

/** An event of a run on its way out: payloads put back, secrets taken out again. */
export interface ExportedEvent extends RunEvent {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly ts: number;
  /** Microseconds since the run's start. */
  readonly dt: number;
}

/** A whole run to be written in another form. */
export interface ExportedRun {
  readonly folder: string;
  /** Hash of its first event: the same for every copy of the run. */
  readonly id: string;
  readonly events: readonly ExportedEvent[];
  readonly sealed: boolean;
  /** What stood behind its last whole event and was left out; null: nothing. */
  readonly torn: TornTail | null;
  readonly takenOut: TakenOut;
}

/**
 * Reads a run and checks it as replay does; all that is known to be a secret here, or looks like one, is taken out once more.
 * @throws CannotError for a run that is still going or has no whole event, DamagedError for one that fails its hashes
 */
export async function openExport(folder: string, makeRedactor: MakeRedactor): Promise<ExportedRun> {
  if (writerOf(folder)) throw new CannotError(`The run in ${folder} is still going; export it when it has ended.`);
  const trace = await loadRecording(folder, { imported: true });
  const redactor = createEventRedactor(makeRedactor);
  const events = trace.lines.map(({ seq, ts, dt }, i): ExportedEvent => {
    const event = trace.events[i];
    if (!event) throw new Error(`Line ${i} of ${folder} has no event.`); // one is made of each
    checkSpeech(event, folder);
    return { ...redactor.redacted(event), seq, ts, dt };
  });
  return { folder, id: trace.lines[0]?.h ?? "", events, sealed: trace.seal !== undefined, torn: trace.torn, takenOut: redactor.takenOut() };
}
