import { createHash } from "node:crypto";

/** Tells whether a file is still what the model saw. */
export const digest = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");
