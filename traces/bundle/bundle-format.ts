import { z } from "zod";

/** What stands first in a bundle: what it holds, and the SHA-256 of each file of it. */
export const bundleName = "bundle.json";
export const bundleSums = "SHA256SUMS";

/** Where a bundle has files: nothing else is unpacked. */
export const isBundlePath = (path: string): boolean =>
  /^runs\/[A-Za-z0-9_][A-Za-z0-9._-]{0,150}\/(?:trace\.jsonl|seal\.json|blobs\/[0-9a-f]{2}\/[0-9a-f]{64})$/.test(path);

const counts = z.record(z.string(), z.int().min(0));
const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** `bundle.json`. No time and no place: the same runs give the same bytes. */
export const bundleSchema = z.looseObject({
  v: z.literal(1),
  kind: z.literal("forge-traces"),
  forgeVersion: z.string(),
  files: z.int().min(1),
  bytes: z.int().min(0),
  runs: z.array(
    z.looseObject({
      path: z.string().describe("Within the bundle."),
      start: hash.describe("Hash of the run's first event."),
      recordedAs: hash.describe("The same where it was recorded: another one where something was taken out."),
      events: z.int().min(1),
      takenOut: counts.describe("Secrets by kind, each place counted."),
    }),
  ),
  takenOut: counts,
});
export type Bundle = z.infer<typeof bundleSchema>;
