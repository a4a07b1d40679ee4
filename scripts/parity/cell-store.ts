import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { CellResult } from "./agreement.ts";

const line = z.strictObject({
  key: z.string(),
  result: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("judged"),
      rewards: z.record(z.string(), z.number()).nullable(),
      note: z.string().optional(),
    }),
    z.strictObject({ type: z.literal("not-run"), why: z.string() }),
  ]),
});

/** Results of earlier runs, by what was run: a line a result in one file, so that a run which is killed loses only what it was at. */
export interface CellStore {
  get(key: string): CellResult | undefined;
  /** Judged results are kept; what was not run is tried again next time. */
  put(key: string, result: CellResult): Promise<void>;
}

export async function openCellStore(file: string): Promise<CellStore> {
  const known = new Map<string, CellResult>();
  const text = await readFile(file, "utf8").catch(() => "");
  for (const one of text.split("\n").filter(Boolean)) {
    const parsed = line.safeParse(parse(one));
    if (!parsed.success) continue; // the last line of a killed run may be half of one
    const { key, result } = parsed.data;
    known.set(
      key,
      result.type === "judged" && result.note === undefined ? { type: "judged", rewards: result.rewards } : (result as CellResult),
    );
  }
  await mkdir(dirname(file), { recursive: true });
  return {
    get: (key) => known.get(key),
    async put(key, result) {
      known.set(key, result);
      if (result.type === "judged") await appendFile(file, `${JSON.stringify({ key, result })}\n`);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
