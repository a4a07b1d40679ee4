import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasEnded, thisOwner } from "../../harness/sandbox/owner.ts";
import { readJson } from "../../harness/files/read-json.ts";
import { writeJson } from "../../harness/files/write-json.ts";

const makerSchema = z.looseObject({ process: z.string(), place: z.string() });
const fileIn = (folder: string): string => join(folder, "maker.json");

/** Says in a folder that is not finished that this process makes it, so that it can be told when nobody will finish it. */
export const writeMaker = (folder: string): Promise<void> => writeJson(fileIn(folder), { ...thisOwner() });

/** The folder is finished. */
export const removeMaker = (folder: string): Promise<void> => rm(fileIn(folder), { force: true });

/** True only when it is certain that whoever made the folder has ended. */
export async function makerEnded(folder: string): Promise<boolean> {
  const maker = await readJson(fileIn(folder), makerSchema, "does not name the process that makes this folder.").catch(() => undefined);
  return maker !== undefined && hasEnded(maker);
}
