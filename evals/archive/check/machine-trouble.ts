import { codeOf } from "../../../harness/errors.ts";

const codes = new Set(["ENOSPC", "EDQUOT", "EACCES", "EMFILE", "ENFILE", "EIO", "EROFS"]);

/** Whether an error is this machine's own trouble, and so no finding about an archive. */
export const isMachineTrouble = (error: unknown): boolean => codes.has(codeOf(error) ?? "");
