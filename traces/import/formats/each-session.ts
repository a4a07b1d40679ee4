import { CannotError, DamagedError, ForgeError, messageOf } from "../../../harness/errors.ts";
import type { ImportedSession } from "../imported-session.ts";

/** What `open` makes of each file, in order; undefined: the file is no session. One that cannot be read is an error in its place, and those after it are read. */
export async function* eachSession(
  files: AsyncIterable<string | ForgeError>,
  open: (file: string) => Promise<ImportedSession | undefined>,
): AsyncGenerator<ImportedSession | ForgeError> {
  for await (const file of files) {
    const session = file instanceof ForgeError ? file : await opened(file, open);
    if (session) yield session;
  }
}

async function opened(
  file: string,
  open: (file: string) => Promise<ImportedSession | undefined>,
): Promise<ImportedSession | ForgeError | undefined> {
  try {
    return await open(file);
  } catch (error) {
    if (error instanceof ForgeError) return error;
    if (error instanceof RangeError) return new DamagedError(`${file} is nested too deep to be read.`);
    if (error instanceof Error && "syscall" in error) return new CannotError(`${file} cannot be read (${messageOf(error)}).`);
    throw error;
  }
}
