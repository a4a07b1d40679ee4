import type { Evidence } from "../../contract/ports.ts";
import { canonicalJson } from "../../hash/canonical-json.ts";
import { messageOf } from "../../errors.ts";
import { sha256 } from "../../hash/sha256.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import { changedPaths, walkOf, type Tree } from "./scan-tree.ts";

/** Beyond these no snapshots are taken: a second or so on an ordinary machine, once in a run. A file over `fileBytes` counts by its size. */
export const snapshotBounds = { files: 20_000, bytes: 128 * 1024 ** 2, fileBytes: 16 * 1024 ** 2, names: 100, timeoutMs: 10_000 };

/**
 * Says what the workdir was after a call: evidence for whoever reads the trace later, taken where `effects.ts` looks anyway. Only what a look shows as
 * changed is read again, by the sandbox itself, so that a step costs nothing where a call changed nothing, and one command where it did.
 */
export interface Snapshots {
  /** Before the first call that may write: reads all files once. */
  begin(tree: Tree, signal: AbortSignal): Promise<void>;
  /** The state after a call; undefined where it is that of the last snapshot, or none is taken any more. A `note` says once why. */
  after(tree: Tree, signal: AbortSignal): Promise<Evidence | undefined>;
}

export function createSnapshots(sandbox: Sandbox): Snapshots {
  /** What each path holds, as of `seen`. */
  const held = new Map<string, string>();
  let seen: Tree | undefined;
  let hash: string | undefined;
  let stopped: string | undefined;
  let told = false;
  let tail: Promise<unknown> = Promise.resolve();

  const take = async (tree: Tree, signal: AbortSignal): Promise<Evidence | undefined> => {
    if (stopped !== undefined) return undefined;
    const changed = seen ? changedPaths(seen, tree) : [...tree.files.keys()];
    if (seen && changed.length === 0) return undefined;
    const [gone, there] = [changed.filter((path) => !tree.files.has(path)), changed.filter((path) => tree.files.has(path))];
    requireBounds(tree, there);
    const contents = there.length === 0 ? new Map<string, string>() : await contentsOf(sandbox, there, { all: !seen, signal });
    for (const path of gone) held.delete(path);
    for (const path of there) held.set(path, entryOf(tree.files.get(path) ?? "", contents.get(path)));
    seen = tree;
    const before = hash;
    hash = sha256(canonicalJson([...held].sort(([a], [b]) => (a < b ? -1 : 1))));
    if (hash === before) return undefined;
    const counts = { changed: there.length, removed: gone.length };
    const names = { changed: there.slice(0, snapshotBounds.names), removed: gone.slice(0, snapshotBounds.names) };
    return { t: "fs.snapshot", d: { tree: hash, files: held.size, ...names, ...(isCut(counts) ? { counts } : {}) } };
  };

  /** One after the other, also where subagents work side by side. Nothing that goes wrong here is a fault of the call. */
  const inTurn = (tree: Tree, signal: AbortSignal): Promise<Evidence | undefined> => {
    const turn = tail
      .then(() => take(tree, signal))
      .catch((error: unknown) => {
        signal.throwIfAborted();
        stopped ??= messageOf(error);
        return undefined;
      });
    tail = turn.catch(() => undefined);
    return turn;
  };
  return {
    async begin(tree, signal) {
      if (!seen) await inTurn(tree, signal);
    },
    async after(tree, signal) {
      const taken = await inTurn(tree, signal);
      if (stopped === undefined || told) return taken;
      told = true;
      return { t: "note", d: { text: `No snapshots of the workdir are taken from here on: ${stopped}.` } };
    },
  };
}

const isCut = ({ changed, removed }: { changed: number; removed: number }): boolean => Math.max(changed, removed) > snapshotBounds.names;

function requireBounds(tree: Tree, paths: readonly string[]): void {
  const { files, bytes, fileBytes } = snapshotBounds;
  if (!tree.complete || tree.files.size > files) throw new Error(`it has more than ${files} files, or cannot be looked at`);
  let sum = 0;
  for (const path of paths) {
    const size = sizeIn(tree.files.get(path) ?? "");
    if (size <= fileBytes) sum += size;
  }
  if (sum > bytes) throw new Error(`more than ${bytes / 1024 ** 2} MiB in it would have to be read`);
}

/** GNU find's state of a file is size, times, inode and mode; another system's is a digest of its content alone. */
const fieldsOf = (state: string): readonly string[] => (/^\d+ [\d.]+ [\d.]+ \d+ \d+$/.test(state) ? state.split(" ") : []);
const sizeIn = (state: string): number => Number(fieldsOf(state)[0] ?? 0);

function entryOf(state: string, content: string | undefined): string {
  const [size, , , , mode] = fieldsOf(state);
  return [mode ?? "", content ?? `${size ?? "?"} bytes`].join(" ");
}

/** So many names fit into one command everywhere; more are found by a walk. */
const maxNamed = 300;

/** SHA-256 of files and targets of links by path, as the sandbox tells them. What vanished meanwhile, or is too large, is left out. */
async function contentsOf(
  sandbox: Sandbox,
  paths: readonly string[],
  o: { all: boolean; signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const named = !o.all && paths.length <= maxNamed && paths.join("").length < 50_000;
  const walk = named ? `find ${paths.map((path) => quote(`./${path}`)).join(" ")} -prune` : walkOf(sandbox.workdir);
  const small = `! -size +${snapshotBounds.fileBytes / 512}`;
  const link = 'for p; do printf "%s\\0%s\\0" "$p" "$(readlink "$p")"; done';
  const command = `command -v sha256sum >/dev/null || exit 3; ${walk} -type f ${small} -exec sha256sum {} + 2>/dev/null; printf '\\0'; ${walk} -type l -exec sh -c '${link}' sh {} + 2>/dev/null`;
  const done = await sandbox.exec(command, { timeoutMs: snapshotBounds.timeoutMs, signal: o.signal, maxBytes: 32 * 1024 ** 2 });
  if (done.exitCode === 3) throw new Error("there is no sha256sum in the sandbox");
  if (done.status !== "exited" || done.dropped > 0) throw new Error(`reading it took longer than ${snapshotBounds.timeoutMs} ms`);
  const text = new TextDecoder().decode(done.stdout);
  const end = text.indexOf("\0");
  const found = new Map<string, string>();
  for (const line of text.slice(0, end).split("\n")) {
    const match = /^(\\?)([0-9a-f]{64}) [ *]\.\/(.*)$/.exec(line);
    if (match) found.set(match[1] === "" ? (match[3] ?? "") : unescaped(match[3] ?? ""), match[2] ?? "");
  }
  const links = text.slice(end + 1).split("\0");
  for (let i = 0; i + 1 < links.length; i += 2) found.set((links[i] ?? "").replace(/^\.\//, ""), `-> ${links[i + 1]}`);
  return found;
}

/** A name with a line break or a backslash is spelled with escapes, and the line begins with a backslash then. */
const unescaped = (name: string): string =>
  name.replaceAll(/\\([\\nr])/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped === "r" ? "\r" : "\\"));
