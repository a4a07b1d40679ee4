import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf, ConfigError } from "../errors.ts";
import type { CodeSource } from "../contract/resolved-config.ts";

const storeSchema = z.strictObject({
  v: z.literal(1),
  /** SHA-256 of the sources, by the path of the file. A file has one: trusting what it has become ends the trust in what it was. */
  trusted: z.record(z.string(), z.strictObject({ hash: z.string(), at: z.string() })),
});
type Store = z.infer<typeof storeSchema>;

/** Code that the user has said may run: a file's path with the hash over it and what it imports by relative path. */
export interface TrustStore {
  has(source: Pick<CodeSource, "path" | "hash">): Promise<boolean>;
  add(source: Pick<CodeSource, "path" | "hash">): Promise<void>;
}

/** Kept in the user's own folder, where no repository writes. Throws `ConfigError` for a file that cannot be understood. */
export function trustStore(path: string = join(homedir(), ".forge", "trust.json")): TrustStore {
  let last: Promise<void> = Promise.resolve(); // additions of one process, one after the other: each writes the whole list
  const write = async ({ path: file, hash }: Pick<CodeSource, "path" | "hash">): Promise<void> => {
    const before = await read(path);
    const store: Store = { v: 1, trusted: { ...before.trusted, [file]: { hash, at: new Date().toISOString() } } };
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(store, undefined, 2)}\n`, { mode: 0o600 });
    await rename(draft, path);
  };
  return {
    async has({ path: file, hash }) {
      const { trusted } = await read(path);
      return Object.hasOwn(trusted, file) && trusted[file]?.hash === hash;
    },
    add(source) {
      const written = last.then(() => write(source));
      last = written.catch(() => undefined);
      return written;
    },
  };
}

async function read(path: string): Promise<Store> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { v: 1, trusted: {} };
    throw error;
  }
  try {
    return storeSchema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`${path} is not a list of trusted code; remove the file, and Forge asks again.`);
  }
}
