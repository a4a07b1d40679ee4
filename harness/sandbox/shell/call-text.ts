import { posix } from "node:path";
import { ConfigError } from "../../errors.ts";
import type { ExecOptions } from "../sandbox.ts";
import { quote } from "./quote.ts";

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The shell text of one call: its environment, its folder, a session of its own, then the command. */
export function callText(command: string, mark: string, workdir: string, o: ExecOptions): string {
  const folder = posix.resolve(workdir, o.cwd ?? ".");
  const exports = Object.entries(o.env ?? {}).map(([name, value]) => {
    if (!variable.test(name)) throw new ConfigError(`"${name}" cannot be the name of an environment variable; use letters, digits and _.`);
    return `${name}=${quote(value)}`;
  });
  const run = (shell: string) => `exec $__fs ${shell} -c ${quote(command)}`;
  return [
    `export ${[...exports, mark].join(" ")}`,
    `cd -- ${quote(folder)} || { printf '%s\\n' ${quote(`There is no folder ${folder} to run in.`)} >&2; exit 126; }`,
    ...(o.shell === "bash" ? [`if command -v bash >/dev/null; then ${run("bash")}; fi`] : []),
    run("sh"),
  ].join("\n");
}
