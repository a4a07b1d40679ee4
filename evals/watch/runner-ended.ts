import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasEnded } from "../../harness/sandbox/owner.ts";

const ownerSchema = z.looseObject({ process: z.string(), place: z.string(), released: z.boolean() });

/** True when it is certain that nobody works on the job: its last runner (the `runner.<n>.json` of highest n) let go of it or has ended. */
export async function runnerEnded(folder: string): Promise<boolean> {
  const numbers = (await readdir(folder)).flatMap((name) => /^runner\.(\d+)\.json$/.exec(name)?.[1] ?? []).map(Number);
  if (numbers.length === 0) return false;
  try {
    const owner = ownerSchema.parse(JSON.parse(await readFile(join(folder, `runner.${Math.max(...numbers)}.json`), "utf8")));
    return owner.released || hasEnded(owner);
  } catch {
    return false; // overtaken at this moment, or not to be understood: the next look tells
  }
}
