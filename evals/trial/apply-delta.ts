import { join, posix } from "node:path";
import { InfraError } from "../../harness/errors.ts";
import type { Sandbox } from "../../harness/sandbox/sandbox.ts";
import type { CollectedPath } from "./collect.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";

/** Paths a command may carry; a shell's limit is about 128 KiB a word and 2 MiB a line. */
const chunk = 200;

/** Makes the tree at `at` in a fresh sandbox what the agent left: removals first, then files and folders, then links. */
export async function applyDelta(sandbox: Sandbox, at: string, collected: CollectedPath): Promise<void> {
  const { removed, written, links } = collected.delta;
  const inside = (path: string): string => quote(posix.join(at, path));
  for (const paths of chunksOf(removed)) await must(sandbox, `rm -rf -- ${paths.map(inside).join(" ")}`);
  if (written.length > 0) await sandbox.upload(join(collected.folder, "files"), at);
  for (const some of chunksOf(links))
    await must(
      sandbox,
      some
        .map(({ path, target }) => `mkdir -p -- ${inside(posix.dirname(path))} && ln -sfn -- ${quote(target)} ${inside(path)}`)
        .join(" && "),
    );
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

function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += chunk) chunks.push(items.slice(i, i + chunk));
  return chunks;
}
