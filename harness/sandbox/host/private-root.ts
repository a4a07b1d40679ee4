import { cp, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ConfigError } from "../../errors.ts";
import { hostCommand } from "../host-command.ts";
import { hasEnded, thisOwner } from "../owner.ts";
import type { Recipe } from "./recipe.ts";

/**
 * A private folder that stands for the root of a sandbox without images: what is `/app` in a container is `<root>/app`.
 * Its name carries its owner, so that a sweep knows whose process has ended.
 */
export async function makePrivateRoot(kind: string): Promise<string> {
  const { process: id, place } = thisOwner();
  const root = await mkdtemp(join(tmpdir(), `forge-${kind}_${id}_${Buffer.from(place).toString("base64url")}_`));
  remembered.add(root);
  return root;
}

const remembered = new Set<string>();

process.on("exit", () => {
  for (const root of remembered) rmSync(root, { recursive: true, force: true });
});

export async function removePrivateRoot(root: string): Promise<void> {
  // A folder that the agent made unwritable stops only those who are not root.
  await rm(root, { recursive: true, force: true }).catch(async () => {
    await hostCommand("chmod", ["-R", "u+rwX", root]).catch(() => undefined);
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  });
  remembered.delete(root);
}

/** Removes the private roots of ended processes; answers how many. */
export async function sweepPrivateRoots(kind: string): Promise<number> {
  let removed = 0;
  for (const name of await readdir(tmpdir())) {
    const [prefix, id, place] = name.split("_");
    if (prefix !== `forge-${kind}` || id === undefined || place === undefined) continue;
    if (!hasEnded({ process: id, place: Buffer.from(place, "base64url").toString() })) continue;
    await removePrivateRoot(join(tmpdir(), name));
    removed++;
  }
  return removed;
}

/** A copy of a prepared root for one sandbox: owners, modes, times and links kept, shared blocks where the file system can. */
export async function copyRoot(from: string, to: string): Promise<void> {
  await hostCommand("cp", ["-a", "--reflink=auto", `${from}/.`, to]);
}

/** One COPY of a recipe, into a root. `place` maps a container path to the host. */
export async function copyStep(
  recipe: Recipe,
  step: Extract<Recipe["steps"][number], { type: "copy" }>,
  place: (path: string) => string,
): Promise<void> {
  const into = step.intoFolder;
  const target = place(step.destination);
  for (const source of step.sources) {
    const from = join(recipe.folder, source);
    const found = await stat(from).catch(() => undefined);
    if (!found || !from.startsWith(recipe.folder))
      throw new ConfigError(`${recipe.file}:${step.line}: COPY names ${source}, which is not in ${recipe.folder}.`);
    const isFolder = await stat(target).then(
      (there) => there.isDirectory(),
      () => false,
    );
    const to = found.isDirectory() ? target : into || isFolder ? join(target, basename(source)) : target;
    await mkdir(found.isDirectory() ? to : join(to, ".."), { recursive: true });
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: false, filter: (path) => path !== recipe.file });
    if (step.mode !== undefined) await hostCommand("chmod", ["-R", step.mode.toString(8), to]);
  }
}
