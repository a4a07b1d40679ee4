import type { RunEvent } from "./schema.ts";

/**
 * Whether a middleware changed the course of a run here. What it adds at the start is a part of the configuration, and a change that it reports as of
 * "no effect" is none: both are events, and counted nowhere.
 */
export const isIntervention = ({ t, d }: Pick<RunEvent, "t" | "d">): boolean =>
  t === "middleware" && d["phase"] !== "start" && d["change"] !== "no effect";
