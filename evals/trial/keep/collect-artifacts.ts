import { lstat, mkdir, mkdtemp, readdir, readlink, rename, rm, stat } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { InfraError, messageOf } from "../../../harness/errors.ts";
import { linkLeaves } from "../../../harness/sandbox/workspace/pack-folder.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import type { Artifact } from "../../../tasks/verification.ts";
import { writeJson } from "../../../harness/files/write-json.ts";
import { endedInside } from "../evidence/ended-inside.ts";
import { hostStory } from "../evidence/evidence.ts";
import { excludes } from "./exclude-pattern.ts";
import { sandboxPlaces } from "../sandbox/sandbox-places.ts";

/** What came of one artifact, as `artifacts/manifest.json` lists it. */
export interface CollectedArtifact {
  readonly source: string;
  /** Relative to the `artifacts` folder. */
  readonly destination: string;
  readonly type: "file" | "folder" | "nothing";
  readonly status: "ok" | "missing" | "skipped" | "refused";
  readonly service?: string;
  /** Of `skipped` and `refused`. */
  readonly why?: string;
}

/** What all artifacts together may have: of an attempt, or of each step. An agent can make as much as it likes. */
export interface ArtifactBounds {
  readonly bytes: number;
  readonly entries: number;
}
const most: ArtifactBounds = { bytes: 1024 ** 3, entries: 100_000 };

/**
 * Copies declared artifacts and `/logs/artifacts` into `<folder>/artifacts`. Best effort: what is missing, too large or hostile is a line of the
 * manifest and never the end of a trial. No link is followed, and none is kept that leads out of its artifact. Nothing is written where there is nothing.
 * @throws what this machine refuses (a full disk), and InfraError for what the machinery fails at: a lack that is not the agent's
 */
export async function collectArtifacts(
  sandbox: Sandbox,
  declared: readonly Artifact[],
  folder: string,
  bounds: ArtifactBounds = most,
): Promise<readonly CollectedArtifact[]> {
  const into = join(folder, "artifacts");
  const published = posix.join(posix.dirname((await sandboxPlaces(sandbox)).verifierLogs), "artifacts");
  const isPublished = ({ source, service }: Artifact): boolean => service === undefined && source.replace(/\/+$/, "") === "/logs/artifacts";
  const all = declared.some(isPublished) ? declared : [{ source: "/logs/artifacts", exclude: [] }, ...declared];
  const collected: CollectedArtifact[] = [];
  let left = bounds;
  for (const artifact of all) {
    const taken = collected.filter(({ status }) => status === "ok").map(({ destination }) => destination);
    const at = isPublished(artifact) ? published : posix.resolve(sandbox.workdir, artifact.source);
    const { used, ...one } = await collectOne(sandbox, artifact, { into, taken, at, left });
    if (used) left = { bytes: left.bytes - used.bytes, entries: left.entries - used.entries };
    collected.push(one);
  }
  const told = collected.filter((one) => one.status !== "missing" || declared.some(({ source }) => source === one.source));
  if (told.length === 0) return [];
  await mkdir(into, { recursive: true });
  await writeJson(join(into, "manifest.json"), { v: 1, artifacts: told });
  return told;
}

async function collectOne(
  sandbox: Sandbox,
  { source, destination, exclude, service }: Artifact,
  { into, taken, at, left }: { into: string; taken: readonly string[]; at: string; left: ArtifactBounds },
): Promise<CollectedArtifact & { readonly used?: ArtifactBounds }> {
  const to = safeParts(destination ?? posix.resolve(sandbox.workdir, source)).join("/");
  const base = { source, destination: to, ...(service === undefined ? {} : { service }) };
  const skipped = (status: "skipped" | "refused", why: string): CollectedArtifact => ({ ...base, type: "nothing", status, why });
  const from = service === undefined ? sandbox : sandbox.service?.(service);
  if (!from) return skipped("refused", `there is no service "${service}"`);
  if (to === "" || to === "manifest.json") return skipped("refused", "its place is the manifest's, or the whole file system is requested");
  const other = taken.find((path) => path === to || path.startsWith(`${to}/`) || to.startsWith(`${path}/`));
  if (other !== undefined) return skipped("skipped", `${other} already exists`);
  await mkdir(into, { recursive: true });
  const copy = await mkdtemp(join(dirname(into), "artifact-"));
  try {
    const type = await typeOf(from, at);
    if (type === "link") return skipped("refused", "it is a link, or a device");
    if (type === "nothing") return { ...base, type, status: "missing" };
    await from.download(at, copy, { maxBytes: left.bytes, maxEntries: left.entries, leaveOut: excludes(exclude) });
    const used = await sizeOf(copy, new Set());
    await removeLeavingLinks(copy, "");
    const target = join(into, to);
    await mkdir(dirname(target), { recursive: true });
    await rename(type === "folder" ? copy : join(copy, posix.basename(at)), target);
    return { ...base, type, status: "ok", used };
  } catch (error) {
    if (hostStory(error) || (error instanceof InfraError && from === sandbox)) throw error;
    if (error instanceof InfraError) await endedInside(from, error);
    // Best effort, as in the format's own runner.
    return skipped("refused", messageOf(error));
  } finally {
    await rm(copy, { recursive: true, force: true });
    if ((await readdir(into).catch(() => [])).length === 0) await rm(into, { recursive: true, force: true });
  }
}

/** Puts collected artifacts where they came from, in the sandbox of a verifier that has its own. */
export async function placeArtifacts(sandbox: Sandbox, collected: readonly CollectedArtifact[], folder: string): Promise<void> {
  for (const { source, destination, type, status } of collected) {
    if (status !== "ok") continue;
    const from = join(folder, "artifacts", destination);
    const at = posix.resolve(sandbox.workdir, source);
    if (type === "folder") await sandbox.upload(from, at);
    else await placeFile(sandbox, from, at);
  }
}

/** By way of a folder that holds it alone, so that it is streamed and keeps its mode, under the name it has there. */
async function placeFile(sandbox: Sandbox, from: string, at: string): Promise<void> {
  const alone = await mkdtemp(join(dirname(from), "one-"));
  const there = join(alone, posix.basename(at));
  try {
    await rename(from, there);
    await sandbox.upload(alone, posix.dirname(at));
  } finally {
    if (await stat(there).catch(() => undefined)) await rename(there, from);
    await rm(alone, { recursive: true, force: true });
  }
}

async function typeOf(sandbox: Sandbox, at: string): Promise<"file" | "folder" | "link" | "nothing"> {
  const path = quote(at);
  const asked = `if [ -L ${path} ]; then echo link; elif [ -d ${path} ]; then echo folder; elif [ -f ${path} ]; then echo file; elif [ -e ${path} ]; then echo link; else echo nothing; fi`;
  const { status, stdout } = await sandbox.exec(asked, { cwd: "/", timeoutMs: 20_000 });
  // Silence is no answer: whether there is anything to take is not known.
  if (status !== "exited") throw new InfraError(`Whether there is an artifact at ${at} is not known: ${status}.`);
  const said = new TextDecoder().decode(stdout).trim();
  return said === "file" || said === "folder" || said === "link" ? said : "nothing";
}

/** What a folder takes, itself counted, as the archive that it came from does; a file of several names once. */
async function sizeOf(folder: string, seen: Set<bigint>): Promise<ArtifactBounds> {
  let [bytes, entries] = [0, 1];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const below = await sizeOf(path, seen);
      [bytes, entries] = [bytes + below.bytes, entries + below.entries];
      continue;
    }
    entries += 1;
    const { ino, size } = await lstat(path, { bigint: true });
    if (!seen.has(ino)) bytes += Number(size);
    seen.add(ino);
  }
  return { bytes, entries };
}

/** Whoever opens a kept artifact, and the verifier it is given to, must not be led elsewhere by it. */
async function removeLeavingLinks(root: string, at: string): Promise<void> {
  for (const entry of await readdir(join(root, at), { withFileTypes: true })) {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) await removeLeavingLinks(root, path);
    else if (entry.isSymbolicLink() && linkLeaves(path, await readlink(join(root, path)))) await rm(join(root, path));
  }
}

/** A loader has refused `..` already; here nothing depends on that. */
function safeParts(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
}
