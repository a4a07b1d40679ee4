import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, statSync, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import pc from "picocolors";
import { configRegistry } from "./assemble.ts";
import { loadConfig } from "../harness/config/load-config.ts";
import { ConfigError, messageOf } from "../harness/errors.ts";
import { oneLine } from "../reports/terminal/printable.ts";
import { nobody } from "./system-ports.ts";
import { trustedLoader } from "./trust-code.ts";
import { trustStore } from "./trust-store.ts";

/** Editors write a file in several steps. */
const settleMs = 150;
const edited = /\.(ya?ml|json|[cm]?[jt]s)$/;

/**
 * `forge replay --dry` again and again: whenever the configuration or a file of its middleware is saved. Each time is a process of its own, so that nothing
 * of the file's last text is left in memory. Ends with Ctrl-C; answers the exit code.
 * @param args of the command, without `--watch`
 */
export async function watchDry(config: string, args: readonly string[], o: { trust?: boolean }): Promise<number> {
  const path = resolve(config);
  if (!existsSync(path) || !statSync(path).isFile())
    throw new ConfigError(
      `--watch looks at a file that you edit, and --config ${oneLine(config)} is none. Write one that begins with "extends: ${oneLine(config)}".`,
    );
  const folders = await sourceFolders(path, o.trust === true);
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ask = (): void => {
    child?.kill("SIGTERM"); // its answer would be about a text that is gone
    const own = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...args], { stdio: ["ignore", "inherit", "inherit"] });
    child = own;
    own.once("close", () => {
      if (child !== own) return;
      process.stderr.write(`${pc.dim(`Watching ${[...folders].map(oneLine).join(", ")}: save a file there to ask again, Ctrl-C ends.`)}\n`);
    });
  };
  const watchers = [...folders].map((folder) =>
    watch(folder, (_, name) => {
      if (name === null || !edited.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(ask, settleMs);
    }),
  );
  ask();
  await new Promise<void>((end) => {
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
  });
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  child?.kill("SIGTERM");
  return 0;
}

/** Where the configuration and its middlewares' files lie; the configuration's own folder alone where it cannot be read yet. */
async function sourceFolders(path: string, trust: boolean): Promise<ReadonlySet<string>> {
  const folders = new Set([dirname(path)]);
  try {
    const sources = [
      { kind: "values" as const, label: "the recording", config: { model: { name: "sim/default" } } },
      { kind: "config" as const, value: path, folder: dirname(path), owner: "user" as const },
    ];
    const loadUserMiddleware = trustedLoader({ store: trustStore(), user: nobody, trust });
    const { middleware } = await loadConfig(sources, { ...configRegistry, loadUserMiddleware });
    for (const { source } of middleware)
      for (const name of Object.keys(source?.files ?? {})) folders.add(dirname(resolve(dirname(source?.path ?? ""), name)));
  } catch (error) {
    process.stderr.write(`${oneLine(messageOf(error))}\n`);
  }
  return folders;
}
