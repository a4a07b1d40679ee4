import { posix, dirname } from "node:path";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { quote } from "../../sandbox/shell/quote.ts";

const inside = "/opt/forge";
const found = new WeakMap<Sandbox, Promise<string | undefined>>();

/**
 * The shell word that starts ripgrep in this sandbox: its own; else the static binary that Forge ships, put into `/opt/forge` on first use (it is
 * part of no hash: it changes how fast a search is, not what it finds). Undefined where neither runs; callers then do with find and grep.
 */
export function ripgrep(sandbox: Sandbox): Promise<string | undefined> {
  let one = found.get(sandbox);
  if (!one) {
    one = locate(sandbox).catch(() => undefined);
    found.set(sandbox, one);
  }
  return one;
}

async function locate(sandbox: Sandbox): Promise<string | undefined> {
  if (await runs(sandbox, "rg")) return "rg";
  const { rgPath } = await import("@vscode/ripgrep");
  // A sandbox that shows this machine's files has it already.
  if (sandbox.kind !== "docker" && (await runs(sandbox, quote(rgPath)))) return quote(rgPath);
  if (sandbox.kind === "local") return undefined;
  const there = posix.join(inside, "rg");
  if (await runs(sandbox, there)) return there;
  await sandbox.upload(dirname(rgPath), inside);
  return (await runs(sandbox, there)) ? there : undefined;
}

async function runs(sandbox: Sandbox, rg: string): Promise<boolean> {
  const done = await sandbox.exec(`${rg} --version`, { timeoutMs: 30_000 });
  return done.exitCode === 0 && new TextDecoder().decode(done.stdout).startsWith("ripgrep");
}
