import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, statSync, watch, type FSWatcher } from "node:fs";
import { dirname, join, resolve } from "node:path";
import pc from "picocolors";
import { ConfigError } from "../../harness/errors.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { configRegistry } from "../../assembly/registry.ts";
import { filesOfConfig } from "../../harness/config/files-of-config.ts";

/** Editors write a file in several steps. */
const settleMs = 150;
const edited = /\.(ya?ml|json|[cm]?[jt]s)$/;

/**
 * `forge replay dry` again and again: whenever the configuration, one that it extends, or a file of its middleware is saved. Each time is a process
 * of its own, so that nothing of the file's last text is left in memory. Ends with Ctrl-C; answers the exit code.
 * @param args of the command, without `--watch`
 */
export async function watchDry(config: string, args: readonly string[]): Promise<number> {
  const path = resolve(config);
  if (!existsSync(path) || !statSync(path).isFile())
    throw new ConfigError(
      `--watch looks at a file that you edit, and --config ${oneLine(config)} is not a file. Write one that begins with "extends: ${oneLine(config)}".`,
    );
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let watchers: readonly FSWatcher[] = [];
  let questions = 0;
  let fail: (error: unknown) => void = () => undefined;
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask().catch(fail), settleMs);
  };
  const ask = async (): Promise<void> => {
    const question = ++questions;
    child?.kill("SIGTERM"); // its answer would be about a text that is gone
    // again each time, and before the answer begins: what was just written may name other files
    const files = await filesOfConfig(path, configRegistry);
    if (question !== questions) return;
    const folders = [...new Set([...files].map((file) => dirname(file)))].filter((folder) => existsSync(folder));
    const old = watchers;
    watchers = folders.map((folder) =>
      watch(folder, (_, name) => {
        if (name !== null && (edited.test(name) || files.has(join(folder, name)))) soon();
      }),
    );
    for (const watcher of old) watcher.close();
    const own = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...args], { stdio: ["ignore", "inherit", "inherit"] });
    child = own;
    own.once("close", () => {
      if (child !== own || question !== questions) return;
      process.stderr.write(`${pc.dim(`Watching ${folders.map(oneLine).join(", ")}: save a file there to replay again, Ctrl-C ends.`)}\n`);
    });
  };
  const end = new Promise<void>((resolve, reject) => {
    fail = reject;
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  try {
    await ask();
    await end;
  } finally {
    questions++; // one that has just started is not asked any more
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    child?.kill("SIGTERM");
  }
  return 0;
}
