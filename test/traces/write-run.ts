import type { RunEvent } from "../../harness/events/schema.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";

/** A fixture's events as a sealed run in a folder of its own, a second apart. */
export function writeRun(folder: string, events: readonly RunEvent[], at = 1_767_225_600_000): string {
  let passed = 0;
  const clock = { now: () => at + passed * 1000, sleep: async () => undefined };
  const trace = recordTrace(folder, { clock, micros: () => passed * 1_000_000, sync: false });
  for (const event of events) {
    trace.emit(event);
    passed++;
  }
  trace.seal(null);
  return folder;
}
