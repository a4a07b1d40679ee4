import { sha256 } from "../../harness/hash/sha256.ts";

/** What a folder may be called anywhere, after any name; one that had to be changed gets a part of its hash, so that two never become one. */
export function folderName(name: string): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, 100);
  return plain === name && name !== "" ? plain : `${plain === "" ? "run" : plain}-${sha256(name).slice(0, 8)}`;
}
