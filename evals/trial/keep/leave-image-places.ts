import { posix } from "node:path";
import { systemAnswers, systemListing } from "../../../harness/sandbox/docker/system/system-listing.ts";
import { imagePlaces, isWithin, type ImagePlaces } from "../../../harness/sandbox/docker/system/image-places.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { ownerOf } from "../../../harness/sandbox/docker/system/system-places.ts";
import type { Tree } from "../../../harness/sandbox/workspace/tree.ts";
import type { Delta } from "./diff-trees.ts";

/** Where the system's own places are below the root, of the fixed ones. */
const system = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|etc|var|tmp)?(\/|$)/;

/**
 * The places of an image that no agent may change, where one of the declared paths touches them: a home, what lies on the PATH, the system's own folders.
 * @param untouched asks for a sandbox of the image in which no agent was
 */
export async function placesTouched(
  paths: readonly string[],
  workdir: string,
  untouched: () => Promise<Sandbox>,
): Promise<ImagePlaces | undefined> {
  const sandbox = await untouched();
  if (sandbox.kind !== "docker") return undefined;
  const { path, homes, targets, libraryPath, pythonPath } = await systemAnswers(sandbox, false);
  const programs = [...path, ...targets.map((target) => posix.dirname(target)), ...libraryPath, ...pythonPath];
  const touches = (declared: string): boolean =>
    system.test(declared) ||
    programs.some((place) => isWithin(place, declared) || isWithin(declared, place)) ||
    ["/root", ...homes].some((home) => isWithin(home, declared) || declared.startsWith(`${home}/.`));
  return paths.some(touches) ? imagePlaces(await systemListing(sandbox), workdir) : undefined;
}

/**
 * A delta without what is the image's to say, such as a start file in a home that is the working directory, or a `python3` in a virtual environment on the
 * PATH: each is refused with its reason.
 * @param base what its paths are relative to, absolute
 * @param own the declared paths
 */
export function leaveToImage(delta: Delta, base: string, before: Tree, places: ImagePlaces, own: readonly string[]): Delta {
  const refused = [...delta.refused];
  const owner = (path: string, kind: "changed" | "added" | "removed") => ownerOf({ path: posix.join(base, path), kind }, places, own);
  const kindOf = (path: string): "changed" | "added" => (before.entries.has(path) ? "changed" : "added");
  const isImages = (path: string): boolean => /image|accounts/.test(owner(path, kindOf(path)));
  const refuse = (path: string): false => {
    refused.push(
      `${path}: what is stored there is the image's: programs read or run it by themselves. A task that needs it names it in metadata.forge.paths.`,
    );
    return false;
  };
  const guarded = [...before.entries.keys()].filter((path) => /image|accounts/.test(owner(path, "removed")));
  const stay = new Set<string>();
  const removed = delta.removed.filter((path) => {
    if (!guarded.some((inner) => isWithin(inner, path))) return true;
    stay.add(path);
    return refuse(path);
  });
  // What was to take the place of a folder that stays.
  const blocked = (path: string): boolean => [...stay].some((top) => isWithin(path, top) && !before.entries.has(path)) || stay.has(path);
  const written = delta.written.filter((path) => (isImages(path) || blocked(path) ? refuse(path) : true));
  const links = delta.links.filter(({ path }) => (owner(path, kindOf(path)) !== "agent" || blocked(path) ? refuse(path) : true));
  return { removed, written, links, refused };
}
