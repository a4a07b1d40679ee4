import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc"];
const kernel = ["--proc", "/proc", "--dev", "/dev"];

/** A root of its own: the system read-only, and each top folder of `root` writable at its own name. */
export function privateRootArguments(root: string): string[] {
  const own = readdirSync(root).filter((name) => name !== ".forge");
  return [...systemArguments(), ...own.flatMap((name) => ["--bind", join(root, name), `/${name}`])];
}

/** The system alone, read-only. */
export function systemArguments(): string[] {
  return ["--tmpfs", "/", ...system.flatMap((path) => readOnly(path)), ...kernel];
}

/**
 * This machine as it is, read-only, but for one folder and a private /tmp. /run is hidden: a daemon's socket there would be a way out. The folder may be below
 * /run or /dev, or be the root itself.
 */
export function inPlaceArguments(folder: string, temporary: string): string[] {
  const machine = ["--ro-bind", "/", "/", ...kernel, "--tmpfs", "/run", "--bind", temporary, "/tmp"];
  return [...machine, "--bind", folder, folder, ...(folder === "/" ? kernel : []), ...harnessFolder(folder)];
}

/** What Forge keeps in the folder (traces, checkpoints, configuration) may be read from inside and not changed: the next run rests on it. */
function harnessFolder(folder: string): string[] {
  const own = `${folder}/.forge`;
  return lstatSync(own, { throwIfNoEntry: false })?.isDirectory() ? ["--ro-bind", own, own] : [];
}

function readOnly(path: string): string[] {
  try {
    if (lstatSync(path).isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
    return ["--ro-bind", path, path];
  } catch {
    return [];
  }
}

/** True for a container path that a private root may hold; the system's own folders are read-only there. */
export function isOwnPath(path: string): boolean {
  return ![...system, "/proc", "/dev", "/sys", "/run", "/"].some((top) => path === top || (top !== "/" && path.startsWith(`${top}/`)));
}
