import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, ConfigError, messageOf } from "../errors.ts";

/**
 * Makes a folder and those above it, one by one: Node's own recursive way never ends below places such as `/proc`.
 * @param what finishes "cannot …", for a reader
 * @throws ConfigError for a place at which no folder can be
 */
export async function makeFolder(path: string, what: string): Promise<void> {
  const cannot = (why: string): ConfigError => new ConfigError(`${path} cannot ${what}: ${why}. Name another place.`);
  const missing: string[] = [];
  let place = path;
  for (let found = await kindOf(place); found !== "folder"; found = await kindOf(place)) {
    if (found === "file") throw cannot(`${place} is a file`);
    missing.unshift(place);
    place = dirname(place);
  }
  for (const folder of missing)
    try {
      await mkdir(folder);
    } catch (error) {
      // Another process may have made it meanwhile. A full disk is told as such by those who know of disks.
      if (codeOf(error) === "ENOSPC") throw error;
      if ((await kindOf(folder)) !== "folder") throw cannot(messageOf(error));
    }
}

async function kindOf(path: string): Promise<"folder" | "file" | "none"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch {
    return path === dirname(path) ? "folder" : "none";
  }
}
