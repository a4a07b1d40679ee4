import { ForgeError, messageOf } from "../../../harness/errors.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { dryRun, type DryRun } from "../dry/dry-run.ts";
import { loadRecording } from "../verify/load-recording.ts";
import type { TornTail } from "../../read/torn-tail.ts";
import type { Patience, PhasePlace } from "../timed-middleware.ts";
import type { ReplayParts } from "../replay-parts.ts";
import { otherConfig, type OtherConfig } from "../dry/other-config.ts";

export interface DryOptions {
  readonly config: string;
  readonly cwd: string;
  readonly trust: boolean;
}
/** What would differ in a run, or why it could not be asked. */
export type DryAnswer =
  { readonly dry: DryRun; readonly torn: TornTail | null } | { readonly refused: { readonly exitCode: number; readonly text: string } };

const loading: PhasePlace = { middleware: "", phase: "load", lane: "", turn: 0 };

/** The question of `forge replay dry`. */
export function askDry({ config, cwd }: DryOptions, parts: ReplayParts, patience: Patience = {}): (run: string) => Promise<DryAnswer> {
  const configFor = otherConfig(config, { cwd, ...parts });
  const loaded = async (events: readonly RunEvent[]): Promise<OtherConfig> => {
    patience.onPhase?.(loading, true); // modules of the user's run now, from their first line
    try {
      return await configFor(events);
    } finally {
      patience.onPhase?.(loading, false);
    }
  };
  return async (run) => {
    try {
      const trace = await loadRecording(run);
      return { dry: await dryRun(trace, { ...(await loaded(trace.events)), patience }), torn: trace.torn };
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      return { refused: { exitCode: error.exitCode, text: messageOf(error) } };
    }
  };
}
