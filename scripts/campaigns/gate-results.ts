import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const resultSchema = z.object({
  task: z.string(),
  family: z.string(),
  digest: z.string(),
  sandbox: z.string(),
  repeats: z.number(),
  /** The circumstances that were tried, where it was not the whole gate. */
  only: z.string().optional(),
  ok: z.boolean(),
  /** Checks that held, of how many. */
  held: z.number(),
  of: z.number(),
  /** What could not be tried there. */
  notTried: z.array(z.string()),
  failed: z.array(z.string()),
  ms: z.number(),
});
export type GateResult = z.infer<typeof resultSchema>;
type Tried = Pick<GateResult, "digest" | "sandbox" | "repeats" | "only">;

/** What a campaign has found so far, one line a task: a broken last line is one that was being written when the process ended. */
export function gateResults(folder: string) {
  const path = join(folder, "results.jsonl");
  const key = (one: Tried): string => JSON.stringify([one.digest, one.sandbox, one.repeats, one.only]);
  const known = new Map<string, GateResult>();
  mkdirSync(folder, { recursive: true });
  for (const text of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
    const result = parsed(text);
    if (result) known.set(key(result), result);
  }
  return {
    /** Of a task that held in the same sandbox with as many repeats, tried for the same; one that failed is tried again. */
    held: (tried: Tried): GateResult | undefined => {
      const found = known.get(key(tried));
      return found?.ok ? found : undefined;
    },
    add(result: GateResult): void {
      appendFileSync(path, `\n${JSON.stringify(result)}`);
    },
  };
}

function parsed(text: string): GateResult | undefined {
  try {
    return resultSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
