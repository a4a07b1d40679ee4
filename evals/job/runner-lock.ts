import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../harness/contract/ports.ts";
import { codeOf, CannotError } from "../../harness/errors.ts";
import { hasEnded, thisOwner } from "../../harness/sandbox/owner.ts";
import { jsonText } from "../../harness/files/write-json.ts";

const ownerSchema = z.looseObject({ process: z.string(), place: z.string(), released: z.boolean() });
type Owner = z.infer<typeof ownerSchema>;

export interface RunnerLock {
  release(): Promise<void>;
}

/**
 * Makes the caller the only runner of a job. Owners are files `runner.<n>.json`; the highest n holds. Taking over from one that released or died
 * means making n + 1, which only one can. The highest number is never removed, so a latecomer that still believes in an old one collides, or finds
 * itself overtaken. While a living runner holds it, waits; `onWait` hears of it once.
 * @throws CannotError where the holder is on another machine, and the abort reason.
 */
export async function lockRunner(
  folder: string,
  o: { readonly clock: Clock; readonly signal?: AbortSignal | undefined; readonly onWait?: (pid: number) => void },
): Promise<RunnerLock> {
  const me: Owner = { ...thisOwner(), released: false };
  for (let told = false; ;) {
    o.signal?.throwIfAborted();
    const highest = Math.max(0, ...(await numbers(folder)));
    const owner = highest === 0 ? undefined : await readOwner(fileOf(folder, highest));
    if (owner && holds(owner, me, folder)) {
      if (!told) o.onWait?.(Number.parseInt(owner.process, 10));
      told = true;
      await o.clock.sleep(250, o.signal);
    } else if (await take(folder, highest + 1, me)) {
      for (const n of await numbers(folder)) if (n < highest) await rm(fileOf(folder, n), { force: true });
      return { release: () => noteRelease(fileOf(folder, highest + 1), me) };
    }
  }
}

/** A process that holds a job. `here`: it runs on this machine, where its end can be seen. */
export interface Runner {
  readonly pid: number;
  readonly here: boolean;
}

/** Who holds a job now; undefined: nobody, or a process of this machine that has ended. */
export async function runnerOf(folder: string): Promise<Runner | undefined> {
  const highest = Math.max(0, ...(await numbers(folder)));
  const owner = highest === 0 ? undefined : await readOwner(fileOf(folder, highest));
  if (!owner || owner.released || hasEnded(owner)) return undefined;
  return { pid: Number.parseInt(owner.process, 10), here: owner.place === thisOwner().place };
}

/** True when it is certain that no runner works on a started job: the last one released it or has ended. */
export async function runnerEnded(folder: string): Promise<boolean> {
  const highest = Math.max(0, ...(await numbers(folder)));
  const owner = highest === 0 ? undefined : await readOwner(fileOf(folder, highest));
  return owner !== undefined && (owner.released || hasEnded(owner)); // one that cannot be read was overtaken at this moment: the next look tells
}

function holds(owner: Owner, me: Owner, folder: string): boolean {
  if (owner.released || hasEnded(owner)) return false;
  if (owner.place === me.place) return true;
  throw new CannotError(
    `${folder} is held by process ${owner.process} of another machine or container (${owner.place}), of which nothing can be known here; wait for it, or remove runner.*.json there if it has ended.`,
  );
}

/** True when number `n` is ours and nobody is beyond it. */
async function take(folder: string, n: number, me: Owner): Promise<boolean> {
  const draft = join(folder, `runner.${randomUUID()}.new`);
  try {
    await writeFile(draft, jsonText(me));
    await link(draft, fileOf(folder, n));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  if (Math.max(...(await numbers(folder))) === n) return true;
  await rm(fileOf(folder, n), { force: true });
  return false;
}

/** Over the bytes that are there: a disk that has become full may have room for no others, and a lock that is never released is waited for without end. */
async function noteRelease(path: string, me: Owner): Promise<void> {
  const file = await open(path, "r+").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined; // removed with its folder
    throw error;
  });
  try {
    await file?.write(jsonText(me).replace(/false(?=\n\}\n$)/, "true "), 0);
    await file?.datasync();
  } finally {
    await file?.close();
  }
}

/** A file that is gone again or cannot be understood belongs to nobody. */
async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return ownerSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

const fileOf = (folder: string, n: number): string => join(folder, `runner.${n}.json`);
async function numbers(folder: string): Promise<number[]> {
  return (await readdir(folder)).flatMap((name) => /^runner\.(\d+)\.json$/.exec(name)?.[1] ?? []).map(Number);
}
