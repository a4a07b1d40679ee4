import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { canonicalJson } from "../../harness/config/canonical-json.ts";
import { CannotError, ConfigError, DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/events/hash.ts";
import type { JsonObject } from "../../harness/json.ts";
import { writeJson } from "../write-json.ts";
import { jobFolder, type JobFolder } from "./job-folder.ts";
import { jobLockSchema, lockDifferences, type JobLock } from "./job-lock.ts";

/** A job's id: the start of the hash of what was asked, so that the same command names the same job. */
export function jobId(config: JsonObject): string {
  return sha256(canonicalJson(config)).slice(0, 12);
}

/**
 * Begins a job in `path`, or goes on with the one there. Call with the runner's lock held.
 * @throws ConfigError where another request was made there; CannotError where the same request means something else now: its finished trials and
 * new ones would not measure the same thing.
 */
export async function openJob(path: string, config: JsonObject, lock: JobLock): Promise<JobFolder> {
  const job = jobFolder(path);
  const before = await readJson(job.config);
  // nothing was measured, as where an image did not build: what was mended since begins afresh
  if (before === undefined || (await measuredNothing(path))) {
    await mkdir(path, { recursive: true });
    await writeJson(job.lock, lock);
    await writeJson(job.config, config);
    return job;
  }
  const asked = differingKeys(before, config);
  if (asked.length > 0)
    throw new ConfigError(
      `${path} holds a job that was asked for with another ${asked.join(", ")}; choose another folder with --out, or repeat the first command.`,
    );
  const parsed = jobLockSchema.safeParse(await readJson(job.lock));
  if (!parsed.success)
    throw new DamagedError(`${job.lock} is missing or not the lock of a job; start the job in another folder with --out.`);
  const differences = lockDifferences(parsed.data, lock);
  if (differences.length > 0)
    throw new CannotError(
      `${path} cannot be resumed, because its finished trials measured something else: ${differences.join("; ")}. Restore what changed, or give a new job another folder, such as --out ${path}-2.`,
    );
  return job;
}

/** No attempt has a record yet. */
async function measuredNothing(path: string): Promise<boolean> {
  const names = await readdir(join(path, "trials"), { recursive: true }).catch(() => []);
  return !names.some((name) => basename(name) === "record.json" || basename(name) === "result.json");
}

function differingKeys(before: unknown, now: JsonObject): string[] {
  const was: Record<string, unknown> = typeof before === "object" && before !== null ? { ...before } : {};
  const keys = new Set([...Object.keys(was), ...Object.keys(now)]);
  return [...keys].flatMap((key) => {
    const [before, after] = [was[key] ?? null, now[key] ?? null];
    if (canonicalJson(before) === canonicalJson(after)) return [];
    return key === "asked" ? differingKeys(before, Object(after) as JsonObject) : [key]; // what the user said, by its own names
  });
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new DamagedError(`${path} is not JSON; restore it, or start the job in another folder with --out.`);
  }
}
