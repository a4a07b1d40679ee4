import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isBuilt } from "../../scripts/setup/prepare.mjs";

const root = dirname(dirname(import.meta.dirname));
const main = join(root, "dist", "cli", "main.js");

/** Builds the command where it was made from other sources. Test files run at the same time: one builds, the others wait for it. */
export async function built(): Promise<void> {
  const lock = join(root, "node_modules", ".forge-e2e-build");
  for (let waited = 0; waited < 120_000; waited += 200) {
    try {
      mkdirSync(lock);
    } catch {
      if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 120_000)
        rmSync(lock, { recursive: true, force: true });
      await wait(200);
      continue;
    }
    try {
      if (!isBuilt()) build();
      return;
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  throw new Error(`Nobody ended the build that holds ${lock}: remove the folder.`);
}

function build(): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts", "build.mjs")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
}

export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface ForgeOptions {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** A prefix such as `["prlimit", "--fsize=4096"]`. */
  readonly under?: readonly string[];
  /** Called with the running process: for signals. */
  readonly started?: (child: ChildProcess) => void;
}

/** Runs the built command as a user would, in an environment of its own: no key, no settings, no terminal. */
export async function forge(args: readonly string[], o: ForgeOptions): Promise<Answer> {
  const [program, ...first] = [...(o.under ?? []), process.execPath, main];
  const { PATH = "", DOCKER_HOST } = process.env;
  const env = { PATH, ...(DOCKER_HOST && { DOCKER_HOST }), HOME: home(), NO_COLOR: "1", LANG: "C.UTF-8", ...o.env };
  const child = spawn(program, [...first, ...args], {
    cwd: o.cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (piece: Buffer) => (stdout += piece.toString()));
  child.stderr?.on("data", (piece: Buffer) => (stderr += piece.toString()));
  o.started?.(child);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, stdout, stderr };
}

const temporary: string[] = [];
/** An empty folder that `cleanUp` removes. */
export function emptyFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "forge-e2e-"));
  temporary.push(folder);
  for (const [path, content] of Object.entries(files)) put(folder, path, content);
  return folder;
}
export function put(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
export const get = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
export function cleanUp(): void {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
}
let ownHome: string | undefined;
const home = (): string => (ownHome ??= emptyFolder());

/** Standard output as one JSON value a line. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>); // each test says what it expects in it

/** Every file and folder below, sorted, for "nothing was left behind". */
export const listing = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();

/** Runs git in a folder and answers what it printed. */
export function git(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}
