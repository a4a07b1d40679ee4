import { join, posix } from "node:path";
import { InfraError } from "../../../harness/errors.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import type { CollectedPath } from "./collect-changes.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";

/** Characters of paths that one command carries, and paths: a shell takes about 128 KiB a word. */
const chunk = { characters: 24_000, paths: 200 };

/** What applying needs of a collected path. */
export type CarriedPath = Pick<CollectedPath, "path" | "base" | "folder" | "delta">;

/** Makes the tree at `at` in a fresh sandbox what the agent left: removals first, then files and folders, then links. */
export async function applyDelta(sandbox: Sandbox, at: string, collected: CarriedPath): Promise<void> {
  const { removed, written, links } = collected.delta;
  const inside = (path: string): string => quote(posix.join(at, path));
  for (const paths of chunksOf(removed)) await must(sandbox, `rm -rf -- ${paths.map(inside).join(" ")}`);
  if (written.length > 0) await sandbox.upload(join(collected.folder, "files"), at);
  for (const some of chunksOf(links)) {
    const folders = new Set(some.map(({ path }) => inside(posix.dirname(path))));
    const made = some.map(({ path, target }) => `ln -sfn -- ${quote(target)} ${inside(path)}`);
    await must(sandbox, [`mkdir -p -- ${[...folders].join(" ")}`, ...made].join(" && "));
  }
}

/** Runs a command of ours in a sandbox that no agent has touched: it works, or the machinery is broken. */
async function must(sandbox: Sandbox, command: string): Promise<void> {
  const result = await sandbox.exec(command, { cwd: "/" });
  if (result.status === "exited" && result.exitCode === 0) return;
  const said = new TextDecoder().decode(result.stderr).trim().slice(0, 300);
  throw new InfraError(
    `A fresh sandbox could not be set up: "${command.slice(0, 120)}" ended with ${result.exitCode ?? result.status} (${said}).`,
  );
}

function chunksOf<T extends string | { readonly path: string; readonly target: string }>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  let room = 0;
  for (const item of items) {
    room -= typeof item === "string" ? item.length : item.path.length * 2 + item.target.length;
    const last = chunks.at(-1);
    if (last && room >= 0 && last.length < chunk.paths) last.push(item);
    else {
      chunks.push([item]);
      room = chunk.characters;
    }
  }
  return chunks;
}
