import { readdir } from "node:fs/promises";
import { isMachineTrouble } from "./machine-trouble.ts";

/** What lies in a folder; nothing where there is none. Throws only what is this machine's own trouble: it would look as if the files were missing. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMachineTrouble(error)) throw error;
    return [];
  }
}
