import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { DamagedError } from "../../harness/errors.ts";
import { manifestName } from "./archive-format.ts";
import { unpackArchive, type UnpackedArchive } from "./unpack-archive.ts";

/**
 * Unpacks an archive of a job into a folder that it makes, where commands that take runs read it; answers false for a file of another kind.
 * @throws DamagedError for a damaged one, and as `unpackArchive`
 */
export async function openArchive(file: string, folder: string, { maxBytes }: { readonly maxBytes: number }): Promise<boolean> {
  if (!(await holdsJob(file))) return false;
  await mkdir(folder);
  const { changed } = await unpackJob(file, folder, { maxBytes, signal: new AbortController().signal });
  if (changed.length > 0)
    throw new DamagedError(
      `${file}: ${changed.length} of its files are not as the archive was made, such as ${changed[0] ?? ""}. Get the archive again, or unpack it with tar -xzf to look at it as it is.`,
    );
  return true;
}

/** As `unpackArchive`, with the file named where it is damaged. */
export async function unpackJob(file: string, folder: string, o: Parameters<typeof unpackArchive>[2]): Promise<UnpackedArchive> {
  try {
    return await unpackArchive(file, folder, o);
  } catch (error) {
    throw error instanceof DamagedError ? new DamagedError(`${file}: ${error.message}`) : error;
  }
}

/** Whether a file is an archive of a job: it begins with its manifest. One that cannot be read is none. */
export async function holdsJob(file: string): Promise<boolean> {
  const source = createReadStream(file, { end: 64 * 1024 });
  try {
    for await (const chunk of source.pipe(createGunzip())) {
      const name = (chunk as Buffer).toString("latin1", 0, 100).replace(/\0.*$/s, "");
      return name.endsWith(`/${manifestName}`);
    }
  } catch {
    return false;
  } finally {
    source.destroy();
  }
  return false;
}
