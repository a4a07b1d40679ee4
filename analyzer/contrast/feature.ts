import type { Kind, Lever } from "../contract.ts";
import type { Act } from "../detectors/acts/act.ts";
import { atCall, atOutput, atReply } from "../detectors/acts/cite.ts";
import type { AnalyzedRun, RunReply } from "../runs/analyzed-run.ts";
import type { Cell } from "./cells.ts";
import type { ContrastRow } from "./contrast-row.ts";

/** Where a run first shows a feature. */
export interface Place {
  readonly turn: number;
  readonly seq: number;
  readonly step: number | null;
  readonly quote: string;
  /** Of several forms that the feature takes, this run's; they are counted apart. */
  readonly form?: string;
}

/** One side of a feature. */
export interface Side {
  /** A sentence of one run, in the present. */
  readonly says: string;
  /** What it means that failed runs are on this side; left out: it explains no failure. */
  readonly explains?: { readonly kind: Kind; readonly lever: Lever };
}

interface Described {
  /** Kebab-case, unlike all others. */
  readonly name: string;
  /** `first reply`: of every run. `reached turns`: of the turns that the runs of a cell reached alike, so that a long run is not called another for its length. */
  readonly scope: "first reply" | "reached turns";
  /** It needs what calls changed and how they ended, which is not known of an imported run. */
  readonly needsEffects: boolean;
  /** Of a run that shows it, and of one that does not. */
  readonly shown: Side;
  readonly lacking: Side;
}

/** Something that a run does or leaves, fixed before any outcome is known. It never defines failure: no limit, no check at the end, no length. */
export interface OwnFeature extends Described {
  /** Where the run first shows it; undefined: nowhere. */
  find(run: AnalyzedRun): Place | undefined;
}

/** One that is seen only beside the other runs of the same task and configuration, whatever their outcomes. */
export interface RelativeFeature extends Described {
  /** Which runs of the cell show it within the cell's turns. */
  among(cell: Cell): (row: ContrastRow) => boolean;
}

export type Feature = OwnFeature | RelativeFeature;

const withForm = (form: string | undefined) => (form === undefined ? {} : { form });

export const placeOfReply = (reply: RunReply, o: { around?: string; form?: string } = {}): Place => ({
  turn: reply.turn,
  ...atReply(reply, o.around),
  ...withForm(o.form),
});
export const placeOfCall = (act: Act, form?: string): Place => ({ turn: act.step.turn, ...atCall(act), ...withForm(form) });
export const placeOfOutput = (act: Act, form?: string): Place => ({ turn: act.step.turn, ...atOutput(act), ...withForm(form) });
