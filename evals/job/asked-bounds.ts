import { join } from "node:path";
import { z } from "zod";
import { readJson } from "../../harness/files/read-json.ts";

/** `--bound` (memory and storage in MiB) as a job's `config.json` keeps them. Zero and less would mean no bound to a daemon. */
export const askedBoundsSchema = z.object({
  memoryMb: z.int().positive().optional(),
  storageMb: z.int().positive().optional(),
  pids: z.int().positive().optional(),
});
type AskedBounds = z.infer<typeof askedBoundsSchema>;

const configSchema = z.looseObject({ asked: z.looseObject({ bounds: askedBoundsSchema.optional() }).optional() });

/** What a person asked a job's hardened containers to be held to; empty where nobody did. @throws DamagedError where that cannot be read */
export async function askedBounds(job: string): Promise<AskedBounds> {
  const config = await readJson(join(job, "config.json"), configSchema, "is not the request of a job; restore it from a copy of the job.");
  return config?.asked?.bounds ?? {};
}
