import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, thisOwner, type Owner } from "../sandbox/owner.ts";

const ownerFile = "owner.json";

/**
 * A folder of this process, removed when it ends. That of a killed process is removed by the next that makes one of the same name.
 * @param name the folder's begins with it
 */
export function makeTemporaryFolder(name: string): string {
  for (const other of readdirSync(tmpdir())) if (other.startsWith(`${name}-`)) removeIfLeft(join(tmpdir(), other));
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  writeFileSync(join(folder, ownerFile), JSON.stringify(thisOwner()));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function removeIfLeft(folder: string): void {
  try {
    const owner = JSON.parse(readFileSync(join(folder, ownerFile), "utf8")) as Owner; // as this wrote it
    if (hasEnded(owner)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // another user's, one that is just being made or removed, or of an earlier version
  }
}
