import { posix } from "node:path";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** Absolute path inside the sandbox of what the model wrote; `.` and `..` are taken out by name, as policy does before it resolves links. */
export const absolutePath = (sandbox: Sandbox, path: string): string => posix.resolve(sandbox.workdir, path);

/** Relative to the workdir where inside it, else absolute: how paths are told to the model and kept in effects. */
export function shownPath(sandbox: Sandbox, path: string): string {
  const absolute = absolutePath(sandbox, path);
  const relative = posix.relative(sandbox.workdir, absolute);
  if (relative === "") return ".";
  return relative === ".." || relative.startsWith("../") ? absolute : relative;
}
