import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "../errors.ts";
import { hasEnded, thisOwner, type Owner } from "../sandbox/owner.ts";

const ownerFile = "owner.json";

/**
 * A folder of this process, removed when it ends. That of a killed process is removed by the next that makes one of the same name.
 * @param name the folder's begins with it
 */
export function makeTemporaryFolder(name: string): string {
  const owner = thisOwner();
  for (const other of readdirSync(tmpdir())) {
    const [, process] = new RegExp(`^${name}-(\\d+-\\d+)-`).exec(other) ?? [];
    if (process !== undefined) removeIfLeft(join(tmpdir(), other), { ...owner, process });
  }
  // Its name has the process too, which may be killed before it has written the file.
  const folder = mkdtempSync(join(tmpdir(), `${name}-${owner.process}-`));
  writeFileSync(join(folder, ownerFile), JSON.stringify(owner));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** @param named the owner by the folder's name, if this machine made it */
function removeIfLeft(folder: string, named: Owner): void {
  try {
    if (hasEnded(ownerOf(folder) ?? named)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // another user's, or one that is just being made or removed
  }
}

function ownerOf(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, ownerFile), "utf8")) as Owner; // as makeTemporaryFolder wrote it
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
