import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

/** Runs the command; returns how long it took and its peak memory. @param node options of the runtime */
export function timedForge(root: string, cwd: string, args: readonly string[], node: readonly string[] = []): { ms: number; mib: number } {
  const tell = 'process.on("exit", () => process.stderr.write(`\\nrss ${process.resourceUsage().maxRSS}`))';
  const hook = `data:text/javascript,${encodeURIComponent(tell)}`;
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...node, "--import", hook, join(root, "dist", "cli", "main.js"), ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 1 << 26,
  });
  const ms = performance.now() - began;
  if (status !== 0) throw new Error(`forge ${args.slice(0, 4).join(" ")} failed: exit code ${status}: ${stderr.slice(0, 500)}`);
  return { ms, mib: Number(/rss (\d+)$/.exec(stderr)?.[1] ?? 0) / 1024 };
}
