import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../../errors.ts";
import { listHostFolder, packFolder, type HostEntry } from "../../workspace/pack-folder.ts";
import { baseImage, hasImage, pull } from "./base-image.ts";
import { baseImages, replaceBaseImages } from "../../dockerfile/parse-dockerfile.ts";
import { timerMs } from "../../../timer-ms.ts";
import { hashEntries } from "../../workspace/hash-entries.ts";
import type { PrepareOptions } from "../../provider.ts";
import { inlineHereDocuments, type ContextFile } from "../../dockerfile/here-documents.ts";
import { buildKitNeed, platformArguments, syntaxOf } from "./buildkit-need.ts";
import { buildBounds } from "./build-limits.ts";
import { dockerIgnore } from "./docker-ignore.ts";
import type { DockerPlugin, DockerPlugins } from "../daemon/docker-plugin.ts";
import { repositoryPrefix, touchImage } from "./image-cache.ts";
import { buildClassic, buildWithBuildKit, type Build } from "./run-build.ts";

export interface BuiltImage {
  readonly tag: string;
  readonly deviations: readonly string[];
}

export interface BuildRequest {
  readonly name: string;
  readonly folder: string;
  /** Relative to the folder; default `Dockerfile`. */
  readonly dockerfile?: string | undefined;
  readonly target?: string | undefined;
  readonly args?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly room?: PrepareOptions["room"] | undefined;
}

/** Failures that have nothing to do with what the Dockerfile says. */
const machinery =
  /no space left|connection (refused|reset|timed out)|temporary failure|could not resolve|i\/o timeout|network is unreachable|TLS handshake/i;

/**
 * Builds `environment/` to an image whose tag is the hash of what went in, unless that image is there: with the daemon's classic builder, and with
 * BuildKit where the Dockerfile needs it.
 */
export async function buildImage(docker: Docker, plugins: DockerPlugins, request: BuildRequest): Promise<BuiltImage> {
  const file = join(request.folder, request.dockerfile ?? "Dockerfile");
  const original = await readFile(file, "utf8").catch(() => {
    throw new ConfigError(`${file} does not exist; write one, or name a prebuilt image as docker_image in task.toml.`);
  });
  const inlined = inlineHereDocuments(original);
  const need = buildKitNeed(inlined);
  const plugin = need && (await plugins.need("buildx", `${file}:${need.line}: ${need.what}`));
  const { dockerfile: written, deviations: aboutSyntax } = plugin
    ? await withReachableSyntax(docker, inlined.dockerfile, request)
    : { dockerfile: inlined.dockerfile, deviations: [] };
  const { dockerfile, deviations, bases } = await withReachableBases(docker, written, file, request);
  const ignore = dockerIgnore(await readFile(join(request.folder, ".dockerignore"), "utf8").catch(() => ""));
  const entries = (await listHostFolder(request.folder)).filter((entry) => !ignore(entry.path));
  const { files } = inlined;
  const hash = await contentHash(request, entries, files.length === 0 ? dockerfile : [dockerfile, files], bases);
  const tag = `${repositoryPrefix}${imageName(request.name)}:${hash.slice(0, 16)}`;
  if (await hasImage(docker, tag)) await touchImage(docker, tag);
  else await build(docker, request, { tag, dockerfile, files, entries, file, plugin });
  return { tag, deviations: [...aboutSyntax, ...deviations] };
}

/** BuildKit fetches the image that `# syntax=` names and fails without it; the daemon has a reader of its own. */
async function withReachableSyntax(docker: Docker, dockerfile: string, { signal }: BuildRequest) {
  const syntax = syntaxOf(dockerfile);
  if (!syntax || (await pull(docker, syntax.image, signal))) return { dockerfile, deviations: [] };
  const lines = dockerfile.split("\n");
  lines[syntax.line - 1] = "#";
  return {
    dockerfile: lines.join("\n"),
    deviations: [`# syntax=${syntax.image} could not be pulled; the daemon's own reader of Dockerfiles was used instead.`],
  };
}

async function withReachableBases(docker: Docker, written: string, file: string, request: BuildRequest) {
  const replacements = new Map<number, string>();
  const deviations: string[] = [];
  const bases: string[] = [];
  const idOf = async (image: string): Promise<string> => (await docker.getImage(image).inspect()).Id;
  for (const { image, line } of baseImages(written)) {
    if (await pull(docker, image, request.signal)) {
      bases.push(await idOf(image));
      continue;
    }
    if (image === baseImage)
      throw new ConfigError(`${file}:${line}: the image ${baseImage} is not there; make it with \`forge images bootstrap\`.`);
    if (!(await hasImage(docker, baseImage)))
      throw new InfraError(
        `${file}:${line}: the image ${image} cannot be pulled, and ${baseImage}, which could take its place, is missing; run \`forge images bootstrap\`.`,
      );
    replacements.set(line, baseImage);
    bases.push(await idOf(baseImage));
    deviations.push(`FROM ${image} could not be pulled; the image was built on ${baseImage} instead.`);
  }
  return { dockerfile: replacements.size > 0 ? replaceBaseImages(written, replacements) : written, deviations, bases };
}

/** `bases`: an image on a base that was rebuilt is another one, although no file has changed. */
function contentHash(
  { folder, target, args = {} }: BuildRequest,
  entries: readonly HostEntry[],
  dockerfile: unknown,
  bases: readonly string[],
): Promise<string> {
  const more =
    target === undefined && Object.keys(args).length === 0
      ? []
      : [
          target ?? "",
          Object.keys(args)
            .toSorted()
            .map((key) => [key, args[key]]),
        ];
  return hashEntries(folder, entries, ["forge-task", 2, dockerfile, bases, ...more]);
}

/** The name part of a reference: lower case, separators single and inside. */
function imageName(name: string): string {
  const clean = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return clean.slice(0, 80).replace(/-$/, "") || "task";
}

interface Planned {
  readonly tag: string;
  readonly dockerfile: string;
  readonly files: readonly ContextFile[];
  readonly entries: readonly HostEntry[];
  readonly file: string;
  readonly plugin: DockerPlugin | undefined;
}

async function build(docker: Docker, request: BuildRequest, o: Planned): Promise<void> {
  const bounds = await buildBounds(docker).catch((error: unknown) => {
    throw new InfraError(`${o.file}: the image cannot be built, because the Docker daemon does not list its images: ${messageOf(error)}.`);
  });
  // Whatever builds it: what has no bounds takes no less. The wait for it is no time of the build's.
  const leave = await request.room?.(bounds.memoryBytes);
  try {
    await timedBuild(docker, request, { ...o, bounds });
  } finally {
    leave?.();
  }
}

async function timedBuild(docker: Docker, request: BuildRequest, o: Planned & { readonly bounds: Build["bounds"] }): Promise<void> {
  const name = request.dockerfile ?? "Dockerfile";
  const others = o.entries.filter((entry) => entry.path !== name);
  const late = AbortSignal.timeout(timerMs(request.timeoutMs));
  let step = "";
  const said: string[] = [];
  const listen = (text: string) => {
    for (const line of text
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean)) {
      const isStep = /^Step (\d+\/\d+|\[.*\]) : ?/.test(line);
      if (isStep) {
        step = line;
        said.length = 0;
        request.onProgress?.(line);
      } else if (!/^(--->|Removing intermediate|Running in)/.test(line)) said.push(line);
      if (said.length > 12) said.shift();
    }
  };
  let error: string | undefined;
  try {
    const machine = o.plugin ? {} : platformArguments(o.dockerfile, await platformOf(docker));
    const asked: Build = {
      tag: o.tag,
      context: Readable.from(packFolder(request.folder, others, "", [{ path: name, content: o.dockerfile }, ...o.files])),
      dockerfile: name,
      target: request.target,
      args: { ...machine, ...request.args },
      signal: AbortSignal.any([late, ...(request.signal ? [request.signal] : [])]),
      listen,
      bounds: o.bounds,
    };
    error = await (o.plugin ? buildWithBuildKit(docker, o.plugin, asked) : buildClassic(docker, asked));
  } catch (thrown) {
    request.signal?.throwIfAborted();
    if (late.aborted)
      throw new InfraError(
        `${o.file}: the image was not built within ${request.timeoutMs / 1000} s (at ${step || "the start"}); raise build_timeout_sec in task.toml.`,
      );
    error = messageOf(thrown);
  }
  if (error === undefined) return;
  const tail = said.slice(-6).join(" | ");
  const message = `${o.file}: the image does not build: ${step || "before the first step"}: ${error.trim().replace(/\.$/, "")}.${tail ? ` Last output: ${tail.replace(/\.$/, "")}.` : ""}`;
  if (machinery.test(`${error} ${tail}`)) throw new InfraError(`${message} Check the daemon's network and disk, then try again.`);
  throw new ConfigError(`${message} Correct that step of the Dockerfile.`);
}

async function platformOf(docker: Docker): Promise<{ os: string; arch: string }> {
  const { Os: os, Arch: arch } = await docker.version();
  return { os, arch };
}
