import { mkdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { ConfigError, messageOf } from "../../errors.ts";
import { failedStep } from "../host/failed-step.ts";
import { createHostSandbox, makeTaskFolders } from "../host/host-sandbox.ts";
import { loadExeca } from "../../package/load-execa.ts";
import { copyRoot, copyStep, makePrivateRoot, removePrivateRoot, sweepPrivateRoots } from "../host/private-root.ts";
import type { CreateOptions, SandboxProvider } from "../provider.ts";
import { recipeOf, refuseHosts, type Recipe } from "../host/recipe.ts";
import type { Sandbox } from "../sandbox.ts";
import { BubblewrapInstance, instanceError, isolation } from "./bubblewrap-instance.ts";
import { isOwnPath, privateRootArguments, systemArguments } from "./root-arguments.ts";

/** Commands get the environment of a fresh container, nothing of this machine's. */
const plainEnv = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root", LANG: "C.UTF-8" };

/** Sandboxes in namespaces of the kernel, without images: the task's folders at their container paths, this machine's programs read-only. Linux only. */
export function createBubblewrapProvider(): SandboxProvider {
  const prepared = new Map<string, Promise<string>>();
  return {
    kind: "bubblewrap",
    available: bubblewrapWorks,
    check: async (environment) => void (await recipeOf(environment)),
    async prepare(environment) {
      const recipe = await recipeOf(environment);
      const root = prepared.get(recipe.digest) ?? build(recipe);
      prepared.set(recipe.digest, root);
      root.catch(() => prepared.delete(recipe.digest));
      const template = await root;
      const deviations = ["The task ran on this machine's programs in bubblewrap, without its image."];
      const create = async (options: CreateOptions = {}) => {
        refuseHosts(options);
        const own = await makePrivateRoot("bubblewrap");
        await copyRoot(template, own);
        return bubblewrapSandbox(own, recipe.workdir, { ...plainEnv, ...recipe.env, ...options.env }, options.network ?? false);
      };
      return { digest: recipe.digest, workdir: recipe.workdir, deviations, create };
    },
    sweep: () => sweepPrivateRoots("bubblewrap"),
  };
}

/** True when a namespace can really be made here; else why not, with the cure. */
export async function bubblewrapWorks(): Promise<true | string> {
  if (process.platform !== "linux") return "bubblewrap needs Linux; use --sandbox docker.";
  const { execa } = await loadExeca();
  try {
    // Not with the whole machine bound: while a daemon mounts and unmounts below it, that fails now and then.
    const run = await execa("bwrap", [...systemArguments(), ...isolation(false), "true"], { reject: false, timeout: 10_000 });
    if (run.code === "ENOENT") return "bubblewrap is not installed; apt-get install -y bubblewrap, or use --sandbox docker.";
    if (!run.failed) return true;
    const why = run.stderr.trim().split("\n").at(-1) ?? "";
    return `bubblewrap is installed but may not make namespaces here (${why}); allow unprivileged user namespaces, or use --sandbox docker.`;
  } catch (error) {
    return `bubblewrap cannot be started (${messageOf(error)}); use --sandbox docker.`;
  }
}

async function build(recipe: Recipe): Promise<string> {
  const works = await bubblewrapWorks();
  if (works !== true) throw new ConfigError(works);
  for (const step of recipe.steps) {
    const path = step.type === "folder" ? step.path : step.type === "copy" ? step.destination : undefined;
    if (path !== undefined && path !== "/" && !isOwnPath(path))
      throw new ConfigError(
        `${recipe.file}: ${path} belongs to the system, which makes the task Docker-only; run it with --sandbox docker.`,
      );
  }
  const root = await makePrivateRoot("bubblewrap");
  await makeTaskFolders(root, recipe.workdir);
  await mkdir(join(root, "root"), { recursive: true });
  await mkdir(join(root, "home"), { recursive: true });
  const place = (path: string) => join(root, path);
  // Top folders are bound when the namespace starts, so all of them are made before the first RUN.
  for (const step of recipe.steps)
    if (step.type === "copy") await mkdir(place(step.intoFolder ? step.destination : posix.dirname(step.destination)), { recursive: true });
  const sandbox = bubblewrapSandbox(root, recipe.workdir, plainEnv, false);
  try {
    for (const step of recipe.steps) {
      if (step.type === "folder") await mkdir(place(step.path), { recursive: true });
      else if (step.type === "copy") await copyStep(recipe, step, place);
      else failedStep(recipe, step, await sandbox.exec(step.command, { cwd: step.cwd, env: { ...step.env }, timeoutMs: 600_000 }));
    }
    await sandbox.endProcesses();
    return root;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

function bubblewrapSandbox(root: string, workdir: string, env: Readonly<Record<string, string>>, network: boolean): Sandbox {
  const instance = new BubblewrapInstance({ root: privateRootArguments(root), network, env, channels: join(root, ".forge") });
  return createHostSandbox({
    kind: "bubblewrap",
    workdir,
    place: (path) => path,
    env: {},
    pool: poolOptions(instance),
    async endProcesses(pool) {
      await instance.end();
      pool.drop();
    },
    remove: () => removePrivateRoot(root),
  });
}

export function poolOptions(instance: BubblewrapInstance) {
  const open = () =>
    instance.openWorker().catch((error: unknown) => {
      throw instanceError(instance, error);
    });
  return { callPrefix: "", ownNamespace: true, open };
}
