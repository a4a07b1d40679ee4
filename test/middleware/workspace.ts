import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { checkOf } from "../../harness/tools/effects/checks/check-of.ts";
import type { FixtureExec, FixtureTool } from "../../testing.ts";

/** A real folder with a real shell behind the fixture ports: what is edited and checked is what happened. */
export interface Workspace {
  readonly folder: string;
  readonly exec: FixtureExec;
  readonly tools: Readonly<Record<string, FixtureTool>>;
}

export function workspace(files: Record<string, string> = {}): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "forge-workspace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const sh = (command: string) => spawnSync("sh", ["-c", command], { cwd: folder, encoding: "utf8", timeout: 10_000 });
  return {
    folder,
    exec(command) {
      const { stdout, stderr, status } = sh(command);
      return { stdout, stderr, exitCode: status ?? 1 };
    },
    tools: {
      bash({ args }) {
        const command = String(args["command"]);
        const before = contents(folder);
        const { stdout, stderr, status } = sh(command);
        const check = checkOf({ command, exitCode: status, output: stdout + stderr });
        return {
          status: status === 0 ? "ok" : "error",
          text: stdout + stderr,
          effects: { edited: changed(before, contents(folder)), ...(check ? { check } : {}) },
        };
      },
      write({ args }) {
        const path = String(args["path"]);
        write(path, String(args["content"]));
        return { text: `Wrote ${path}.`, effects: { edited: [path] } };
      },
      bash_output: () => "still running",
    },
  };
}

function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => join(entry.parentPath, entry.name)).map((path) => [relative(folder, path), readFileSync(path, "latin1")]),
  );
}

const changed = (before: Map<string, string>, after: Map<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort();

/** A reply of the scripted model that makes one call of bash. */
export const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
export const write = (path: string, content: string) => ({ calls: [{ name: "write", args: { path, content } }] });
export const say = (text: string) => ({ text });
