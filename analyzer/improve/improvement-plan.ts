import { z } from "zod";
import { tQuantile } from "../../evals/statistics/distributions.ts";
import { configSchema } from "../../harness/config/schema.ts";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { levels } from "../../tasks/generated/family.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** All that is settled before a trial is run; what is measured follows from it. Holds no path and no time, so that the same plan is the same anywhere. */
const planSchema = z.strictObject({
  v: z.literal(1),
  forgeVersion: z.string(),
  source: z.strictObject({
    configuration: z.string(),
    harnessHash: z.string(),
    model: z.string(),
    /** Of each run that was read, in the order of the digests. */
    digests: z.array(hash),
    failed: z.int(),
  }),
  patches: z.array(
    z.strictObject({
      issue: z.string(),
      title: z.string(),
      suggestion: z.string(),
      change: configSchema,
      /** Harness hash of the base with it. */
      hash: z.string(),
      removal: z.boolean(),
      /** Families of the tasks that it was predicted to fix, and of those at risk. */
      predicted: z.strictObject({ fixes: z.array(z.string()), atRisk: z.array(z.string()) }),
    }),
  ),
  rule: z.string(),
  develop: z.array(z.string()),
  test: z.array(z.string()),
  levels: z.array(z.enum(levels)),
  /** Fresh seeds a family and level; each is one pair a patch, with the base's trials shared by the patches. */
  screenSeeds: z.int().min(1),
  testSeeds: z.int().min(1),
  sandbox: z.string().nullable(),
  mode: z.string().nullable(),
});
export type ImprovementPlan = z.infer<typeof planSchema>;

/** `plan.json`: the plan, its hash, and where the files lie that it names by their hashes. */
export const planFileSchema = z.strictObject({
  plan: planSchema,
  hash,
  job: z.string(),
  /** The runs that were read, with the digests that the plan holds. */
  runs: z.array(z.strictObject({ run: z.string(), digest: hash })),
  base: z.string(),
  patches: z.record(z.string(), z.string()),
});
export type PlanFile = z.infer<typeof planFileSchema>;

/** `freeze.json`: what goes into the test, written before its seeds are drawn from its hash. */
export const freezeSchema = z.strictObject({
  freeze: z.strictObject({
    v: z.literal(1),
    plan: hash,
    kept: z.array(z.string()),
    /** Harness hashes of the base and of it with all kept patches. */
    base: z.string(),
    improved: z.string(),
    test: z.array(z.string()),
    levels: z.array(z.enum(levels)),
    seeds: z.int(),
  }),
  hash,
});
export type Freeze = z.infer<typeof freezeSchema>;

export const hashOfPlan = (plan: object): string => sha256(canonicalJson(plan));

/** Trials of the two parts. */
export const trialsOfPlan = ({
  develop,
  test,
  levels: asked,
  patches,
  screenSeeds,
  testSeeds,
}: ImprovementPlan): {
  readonly screen: number;
  readonly test: number;
} => ({
  screen: develop.length * asked.length * screenSeeds * (1 + patches.length),
  test: test.length * asked.length * testSeeds * 2,
});

/** Measured on real trials: what the differences of families vary by. */
const familySd = 0.28;

/** Half of the 95 % interval that so many test families will give, a share; null where one family gives none. */
export const plannedHalfWidth = (families: number): number | null =>
  families < 2 ? null : Math.min(1, (tQuantile(0.975, families - 1) * familySd) / Math.sqrt(families));
