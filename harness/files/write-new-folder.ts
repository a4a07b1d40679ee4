import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readdir, readlink, realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CannotError, codeOf, ConfigError, messageOf } from "../errors.ts";

/**
 * A folder that appears when all of it is written, or not at all. `make` fills a draft beside it. Of what fails, the folders that were made above it do not
 * stay either. A link to an empty folder is followed.
 * @throws ConfigError where something is there already; CannotError where no folder can be made; what `make` throws
 */
export async function writeNewFolder<T>(out: string, make: (draft: string) => Promise<T>): Promise<T> {
  const asked = pathOfNewFolder(out);
  const target = await emptyPlace(out, asked);
  const above = dirname(target);
  const stood = standing(above);
  try {
    const draft = await mkdir(above, { recursive: true })
      .then(() => mkdtemp(join(above, `.${basename(target)}-`)))
      .catch((error: unknown) => {
        throw notMade(out, error);
      });
    try {
      // Under its own name within the draft: a task is called what its folder is called.
      const inside = join(draft, basename(asked));
      await mkdir(inside);
      const made = await make(inside);
      await chmod(inside, 0o755);
      await rename(inside, target);
      return made;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  } catch (error) {
    await removeEmpty(above, stood);
    throw error;
  }
}

/** The path of a folder that a person named. @throws ConfigError for an empty name, which would be the current folder */
export function pathOfNewFolder(folder: string): string {
  if (folder.trim() === "") throw new ConfigError("The name of the new folder is empty. Name one that does not exist yet, or is empty.");
  return resolve(folder);
}

/** Where the folder is to be: its path, or what the link there leads to. */
async function emptyPlace(out: string, asked: string): Promise<string> {
  const held = await readdir(asked).catch(async (error: unknown) => {
    const isLink = await lstat(asked).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    if (codeOf(error) === "ENOENT" && isLink)
      throw new ConfigError(
        `${out} is a link to ${await readlink(asked)}, which does not exist. Create that folder, or name another place.`,
      );
    if (codeOf(error) === "ENOENT") return [];
    if (codeOf(error) === "ENOTDIR" && existsSync(asked))
      throw new ConfigError(`${out} already exists and is not a folder. Name another one.`);
    throw notMade(out, error);
  });
  if (held.length > 0) throw new ConfigError(`${out}: the folder is not empty. Name a new one, or empty it first.`);
  return existsSync(asked) ? realpath(asked) : asked;
}

/** The nearest folder that is there. */
function standing(folder: string): string {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** From the lowest up to one that stays, as far as nobody has put anything there meanwhile. */
async function removeEmpty(lowest: string, stays: string): Promise<void> {
  try {
    for (let at = lowest; at !== stays; at = dirname(at)) if (existsSync(at)) await rmdir(at);
  } catch {
    // Somebody else's now, or not ours to remove.
  }
}

const notMade = (out: string, error: unknown): CannotError =>
  new CannotError(`${out}: the folder cannot be made (${messageOf(error)}). Name another place.`);

/** Texts by relative path. Scripts are executable, whatever the umask; each text ends with a newline. */
export async function writeTexts(folder: string, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text.endsWith("\n") ? text : `${text}\n`);
    await chmod(join(folder, path), path.endsWith(".sh") || text.startsWith("#!") ? 0o755 : 0o644);
  }
}
