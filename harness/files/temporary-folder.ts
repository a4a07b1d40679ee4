import { mkdtempSync, readdirSync, readFileSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
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
    const [, process] = new RegExp(`^${name}-(\\d+-\\d+)-[A-Za-z0-9]{6}$`).exec(other) ?? [];
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
    const owner = ownerOf(folder);
    if (!hasEnded(owner ?? named)) return;
    if (owner) return rmSync(folder, { recursive: true, force: true });
    // Nothing was put into it before its owner was.
    rmSync(join(folder, ownerFile), { force: true });
    rmdirSync(folder);
  } catch {
    // another user's, or one that is just being made or removed
  }
}

/** @returns undefined where the process was killed before the file was whole. */
function ownerOf(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, ownerFile), "utf8")) as Owner; // as makeTemporaryFolder wrote it
  } catch (error) {
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
