import { codeOf, messageOf } from "./errors.ts";

/** What the machine refuses, in words, with the cure. */
const refusals: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full; free some space, or choose another folder, and run the same command again",
  EDQUOT: "The disk quota is used up; free some space, or choose another folder, and run the same command again",
  EFBIG: "A file became larger than is allowed here; raise the limit (ulimit -f) and run the same command again",
  EISDIR: "There is a folder where a file should be; move it away",
  ENOTDIR: "There is a file where a folder should be; move it away",
  ELOOP: "A link leads back to itself; put the file itself there",
  EROFS: "The file system is read-only; choose another folder",
  EACCES: "Permission was denied; choose another folder, or change its rights",
  EPERM: "That is not allowed here; choose another folder, or change its rights",
  EMFILE: "Too many files are open; raise the limit (ulimit -n), or do less at a time with --jobs",
};

/** What this machine refused, as a finished sentence with the cure; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const words = code !== undefined && Object.hasOwn(refusals, code) ? refusals[code] : undefined;
  return words && `${words} (${messageOf(error)}).`;
}
