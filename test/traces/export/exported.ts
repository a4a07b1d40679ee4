import type { RunEvent } from "../../../harness/events/schema.ts";
import type { ExportedRun } from "../../../traces/export/exported-run.ts";

/** Events of a fixture as a run on its way out, a second apart. */
export const exported = (events: readonly RunEvent[], more: Partial<ExportedRun> = {}): ExportedRun => ({
  folder: "runs/one",
  id: "ab".repeat(32),
  sealed: true,
  torn: null,
  takenOut: {},
  ...more,
  events: events.map((event, seq) => ({ ...event, seq, ts: 1_767_225_600_000 + seq * 1000, dt: seq * 1_000_000 })),
});
