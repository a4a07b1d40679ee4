import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { createHostSandbox, makeTaskFolders, taskFolders } from "../host/host-sandbox.ts";
import { copyRoot, copyStep, makePrivateRoot, removePrivateRoot, sweepPrivateRoots } from "../host/private-root.ts";
import type { CreateOptions, SandboxProvider } from "../provider.ts";
import { recipeOf, refuseHosts, type Recipe } from "../host/recipe.ts";
import type { Sandbox } from "../sandbox.ts";
import { failedStep } from "../host/failed-step.ts";
import { openLocalWorker } from "./local-worker.ts";

export interface LocalProviderOptions {
  /** What commands get of this process's environment; default PATH, HOME, LANG and the like, never keys. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The one place where the environment is read for commands that run unconfined. Keys and tokens stay here. */
export function plainEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const kept = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "USER", "SHELL"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  return { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...Object.fromEntries<string>(kept) };
}

/** Sandboxes that are private copies on this machine, with no confinement: only for what Forge itself ships or makes. */
export function createLocalProvider(o: LocalProviderOptions = {}): SandboxProvider {
  const env = o.env ?? plainEnvironment();
  const prepared = new Map<string, Promise<string>>();
  return {
    kind: "local",
    available: async () =>
      process.platform === "win32" ? "The local sandbox needs a POSIX shell; use --sandbox docker on Windows." : true,
    check: async (environment) => void (await recipeOf(environment)),
    async prepare(environment) {
      const recipe = await recipeOf(environment);
      const root = prepared.get(recipe.digest) ?? build(recipe, env);
      prepared.set(recipe.digest, root);
      root.catch(() => prepared.delete(recipe.digest));
      const template = await root;
      const deviations = ["The task ran in a private folder of this machine, without its image and unconfined."];
      const create = async (options: CreateOptions = {}) => {
        refuseHosts(options);
        const own = await makePrivateRoot("local");
        await copyRoot(template, own);
        return localSandbox(own, recipe, { ...env, ...recipe.env, ...options.env });
      };
      return { digest: recipe.digest, workdir: recipe.workdir, deviations, create };
    },
    sweep: () => sweepPrivateRoots("local"),
  };
}

async function build(recipe: Recipe, env: Readonly<Record<string, string>>): Promise<string> {
  const root = await makePrivateRoot("local");
  await makeTaskFolders(root, recipe.workdir);
  const place = placeIn(root, recipe.workdir);
  const sandbox = await localSandbox(root, recipe, env);
  try {
    for (const step of recipe.steps) {
      if (step.type === "folder") await mkdir(place(step.path), { recursive: true });
      else if (step.type === "copy") await copyStep(recipe, step, (path) => join(root, path));
      else failedStep(recipe, step, await sandbox.exec(step.command, { cwd: step.cwd, env: { ...step.env }, timeoutMs: 600_000 }));
    }
    await sandbox.endProcesses();
    return root;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

async function localSandbox(root: string, recipe: Pick<Recipe, "workdir">, env: Readonly<Record<string, string>>): Promise<Sandbox> {
  const place = placeIn(root, recipe.workdir);
  const channels = join(root, ".forge");
  await mkdir(channels, { recursive: true, mode: 0o700 });
  const told = {
    FORGE_WORKDIR: place(recipe.workdir),
    FORGE_TESTS: join(root, "tests"),
    FORGE_LOGS: join(root, "logs"),
    FORGE_SOLUTION: join(root, "solution"),
    TMPDIR: join(root, "tmp"),
  };
  return createHostSandbox({
    kind: "local",
    workdir: place(recipe.workdir),
    place,
    env: told,
    pool: { callPrefix: `${randomBytes(4).toString("hex")}-`, ownNamespace: false, open: () => openLocalWorker(channels, env) },
    async endProcesses(pool) {
      await pool.killMarked();
      pool.drop();
    },
    remove: () => removePrivateRoot(root),
  });
}

/** Container paths of a task are in the private root; every other path is this machine's. */
function placeIn(root: string, workdir: string): (path: string) => string {
  const tops = [...taskFolders, workdir].filter((path) => path !== "/");
  return (path) => {
    const normal = posix.normalize(path);
    return tops.some((top) => normal === top || normal.startsWith(`${top}/`)) ? join(root, normal) : normal;
  };
}
