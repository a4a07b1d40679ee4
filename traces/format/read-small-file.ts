import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { CannotError, codeOf, DamagedError, messageOf } from "../../harness/errors.ts";

/**
 * The text of a file that Forge keeps beside a trace; undefined where there is none. Opened without waiting: a named pipe in its place would never answer.
 * @throws DamagedError for what is no file, or larger than `maxBytes`, which none of its kind is; CannotError where the disk does not give it
 */
export function readSmallFile(path: string, maxBytes: number): string | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw noFile(path);
    if (stat.size > maxBytes)
      throw new DamagedError(
        `${path} is ${stat.size} bytes long, and no Forge writes more than ${maxBytes} there. Restore it from a copy.`,
      );
    return readFileSync(file, "utf8");
  } catch (error) {
    throw codeOf(error) === undefined ? error : refused(path, error);
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENXIO") throw noFile(path); // a socket
    if (code !== "ENOENT" && code !== "ENOTDIR") throw refused(path, error);
    if (lstatSync(path, { throwIfNoEntry: false })) throw new DamagedError(`${path} is a link that leads nowhere. Restore it from a copy.`);
    return undefined;
  }
}

const noFile = (path: string): DamagedError => new DamagedError(`${path} is no file. Restore it from a copy, or remove it.`);

const refused = (path: string, error: unknown): CannotError =>
  new CannotError(`${path} cannot be read: ${messageOf(error)}. Make it readable, or copy the run's folder from where it is.`);
