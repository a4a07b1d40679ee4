import { nearest } from "../../text/did-you-mean.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { quote } from "../../sandbox/shell/quote.ts";
import { createHash } from "node:crypto";

export type FileFacts =
  | { readonly type: "file"; readonly bytes: number }
  | { readonly type: "folder" }
  | { readonly type: "missing" }
  | { readonly type: "unreadable"; readonly why: string };

/** What a path is, links followed. */
export async function fileFacts(sandbox: Sandbox, path: string, signal: AbortSignal): Promise<FileFacts> {
  const p = quote(path);
  const script = `if [ -d ${p} ]; then echo folder; elif [ -f ${p} ]; then wc -c <${p}; elif [ -e ${p} ]; then echo special; else echo missing; fi`;
  const done = await sandbox.exec(script, { timeoutMs: 30_000, signal });
  const said = new TextDecoder().decode(done.stdout).trim();
  if (/^\d+$/.test(said)) return { type: "file", bytes: Number(said) };
  if (said === "folder" || said === "missing") return { type: said };
  const why = said === "special" ? "it is a device, socket or pipe" : new TextDecoder().decode(done.stderr).trim();
  return { type: "unreadable", why: why || `the look at it ended with ${done.status}` };
}

/** Names near a missing path: in its folder, or the same name elsewhere below the workdir. Shown to the model as guesses. */
export async function similarPaths(sandbox: Sandbox, path: string, signal: AbortSignal): Promise<string[]> {
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, slash) || "/", path.slice(slash + 1)];
  const script = `ls -1A ${quote(folder)} 2>/dev/null | head -n 500; echo //; find . -name .git -prune -o -name node_modules -prune -o -name ${quote(name.replace(/[[\]*?\\]/g, "\\$&"))} -print 2>/dev/null | head -n 3`;
  const done = await sandbox.exec(script, { timeoutMs: 10_000, signal });
  const [beside = "", elsewhere = ""] = new TextDecoder().decode(done.stdout).split(/^\/\/$/m);
  const near = beside.split("\n").filter((other) => other !== "" && alike(name, other));
  const prefix = folder === "/" ? "/" : `${folder}/`;
  const same = elsewhere.split("\n").filter((line) => line.startsWith("./"));
  return [...near.map((other) => prefix + other), ...same.map((line) => line.slice(2))].slice(0, 3);
}

/** Equal but for case, one inside the other, the same stem, or few letters apart. */
function alike(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  const stem = (name: string): string => name.replace(/\.[^.]*$/, "");
  return (
    x === y ||
    (x.length > 2 && y.includes(x)) ||
    (y.length > 2 && x.includes(y)) ||
    (stem(x) !== "" && stem(x) === stem(y)) ||
    nearest(x, [y]) !== undefined
  );
}

/** Tells whether a file is still what the model saw. */
export const digest = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");
