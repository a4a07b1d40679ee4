import { z } from "zod";

/**
 * What a job's arms were made for, kept in its lock: which of them are held against which, stated before anything is measured. A comparison of the
 * job corrects for these pairs, and for no others.
 */
export const studySchema = z.looseObject({
  /** `ablation`: one middleware left out or added in. `sweep`: values of options. `first`: every configuration with the first. */
  kind: z.enum(["ablation", "sweep", "first"]),
  /** Names of configurations, the baseline first. */
  pairs: z.array(z.tuple([z.string(), z.string()])),
});
export type Study = z.infer<typeof studySchema>;

/** Every configuration with the first. */
export const withFirst = ([first, ...others]: readonly string[]): Study => ({
  kind: "first",
  pairs: first === undefined ? [] : others.map((other): [string, string] => [first, other]),
});
