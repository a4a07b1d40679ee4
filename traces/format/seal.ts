import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DamagedError } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { readSmallFile } from "./read-small-file.ts";
import { beginsLater, refuseLaterFile } from "./later-version.ts";
import { membersName, plainName, sealName } from "./trace-files.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** The whole file. */
export const sealSchema = z.strictObject({
  v: z.literal(1),
  count: z.int().min(0),
  bytes: z.int().min(0),
  head: hash,
  workspace: hash.nullable(),
  digest: hash,
});
/** What a finished trace must be: events, bytes of `trace.jsonl`, its last hash, and the hash of the final workdir. */
export interface Seal {
  readonly count: number;
  readonly bytes: number;
  readonly head: string;
  readonly workspace: string | null;
}

/** Written last and atomically: a trace with a seal is whole. `digest` covers the rest of the file. */
export function writeSeal(folder: string, seal: Seal): void {
  const path = join(folder, sealName);
  const temporary = `${path}.part`;
  try {
    writeFileSync(temporary, sealText(seal));
    const file = openSync(temporary, "r");
    fsyncSync(file);
    closeSync(file);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** No seal is nearly as long. */
const maxSealBytes = 64 * 1024;

/** The seal of a run's folder, or undefined when it was never sealed. Throws `DamagedError` for one that was changed, `CannotError` for one of a later version, and as `readSmallFile`. */
export function readSeal(folder: string): Seal | undefined {
  const path = join(folder, sealName);
  const text = readSmallFile(path, maxSealBytes);
  if (text === undefined) return undefined;
  refuseLaterFile(path, text, { believed: () => [plainName, membersName].some((name) => beginsLater(join(folder, name))) });
  let parsed: z.infer<typeof sealSchema>;
  try {
    parsed = sealSchema.parse(JSON.parse(text));
  } catch {
    throw new DamagedError(`${path} is not a seal: it was changed or written by something else.`);
  }
  const seal: Seal = { count: parsed.count, bytes: parsed.bytes, head: parsed.head, workspace: parsed.workspace };
  if (text !== sealText(seal)) throw new DamagedError(`${path} fails its own digest: it was changed after it was written.`);
  return seal;
}

function sealText({ count, bytes, head, workspace }: Seal): string {
  const body = { v: 1, count, bytes, head, workspace };
  return `${JSON.stringify({ ...body, digest: sha256(JSON.stringify(body)) })}\n`;
}
