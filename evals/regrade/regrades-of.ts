import { join } from "node:path";
import { glob } from "tinyglobby";
import { readJson } from "../../harness/files/read-json.ts";
import { regradeResultSchema, type RegradeResult } from "../job/results/regrade-result.ts";

/** The finished regrades of a job, the oldest first. @throws DamagedError for one that cannot be read. */
export async function regradesOf(job: string): Promise<readonly RegradeResult[]> {
  const paths = await glob("regrades/*/regrade.json", { cwd: job, dot: true, ignore: "regrades/*.part/**" });
  const why = "is not what forge bench regrade writes there; restore it, or remove its folder.";
  const found = await Promise.all(paths.map((path) => readJson(join(job, path), regradeResultSchema, why)));
  return found.filter((one) => one !== undefined).toSorted((a, b) => a.endedAt - b.endedAt);
}
