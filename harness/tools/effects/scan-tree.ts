import type { Sandbox } from "../../sandbox/sandbox.ts";

/** State of each file under the workdir: path → a word that changes when the file does. `complete` is false when there were more than the cap. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly complete: boolean;
}

const maxEntries = 20_000;
const maxBytes = 4 * 1024 * 1024;

/** Folders that hold no work of the agent's: histories, dependencies, caches of tools that checks fill. */
const prunedNames = [
  ".git",
  ".hg",
  ".svn",
  ".forge",
  "node_modules",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".hypothesis",
  ".tox",
  ".nox",
  ".venv",
  "venv",
  ".cache",
  ".gradle",
  ".nyc_output",
  ".next",
  ".turbo",
  ".parcel-cache",
  "*.egg-info",
];
const prunedPaths = ["*/target/debug", "*/target/release"];
/** A workdir of `/` would mean scanning the system. */
const system = ["bin", "boot", "dev", "lib", "lib32", "lib64", "proc", "run", "sbin", "sys", "tmp", "usr", "var"].map(
  (name) => `./${name}`,
);

/** A walk over what is looked at: further tests and an action can follow. */
export function walkOf(workdir: string): string {
  const paths = workdir === "/" ? [...prunedPaths, ...system] : prunedPaths;
  const prune = [...prunedNames.map((name) => `-name '${name}'`), ...paths.map((path) => `-path '${path}'`)].join(" -o ");
  return `find . -xdev \\( ${prune} \\) -prune -o \\( -type f -o -type l \\) ! -name '*.pyc'`;
}

function command(workdir: string): string {
  const walk = walkOf(workdir);
  // Times are nanoseconds with GNU find. Without -printf (busybox, BSD) content is compared, since times there are whole seconds; a link that
  // leads nowhere goes unseen then.
  return [
    `if find . -prune -printf '' 2>/dev/null; then ${walk} -printf '%s %T@ %C@ %i %m %p\\0' 2>/dev/null | head -c ${maxBytes}`,
    `else for sum in md5sum sha1sum cksum; do command -v $sum >/dev/null && break; done; ${walk} -exec $sum {} + 2>/dev/null | head -c ${maxBytes}; fi`,
  ].join("; ");
}

/** One look at the workdir in one command. A tree that cannot be looked at is empty and incomplete. */
export async function scanTree(sandbox: Sandbox, signal: AbortSignal): Promise<Tree> {
  const done = await sandbox.exec(command(sandbox.workdir), { timeoutMs: 20_000, signal, maxBytes: 2 * maxBytes });
  const files = new Map<string, string>();
  if (done.status !== "exited" || done.dropped > 0) return { files, complete: false };
  const text = new TextDecoder().decode(done.stdout);
  const end = text.includes("\0") ? "\0" : "\n";
  const entries = text.split(end);
  const cutOff = entries.pop() !== ""; // the last entry ends too, unless the list was cut
  for (const entry of entries.slice(0, maxEntries)) {
    const at = entry.indexOf(" ./");
    if (at !== -1) files.set(entry.slice(at + 3), entry.slice(0, at));
  }
  return { files, complete: !cutOff && entries.length <= maxEntries };
}

/** Paths that were added, changed or removed, sorted. What lies beyond the cap is not known, so then only what both trees hold is compared. */
export function changedPaths(before: Tree, after: Tree): string[] {
  const changed: string[] = [];
  for (const [path, state] of after.files) {
    const was = before.files.get(path);
    if (was === undefined ? before.complete : was !== state) changed.push(path);
  }
  if (after.complete) for (const path of before.files.keys()) if (!after.files.has(path)) changed.push(path);
  return changed.sort();
}
