import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { ConfigError, InfraError, messageOf } from "../../errors.ts";
import { listHostFolder, packFolder, type HostEntry } from "../archive.ts";
import { baseImage, followProgress, hasImage, pull } from "../base-image.ts";
import { baseImages, replaceBaseImages } from "../dockerfile.ts";
import { hashEntries } from "../hash-entries.ts";
import { dockerIgnore } from "./docker-ignore.ts";
import { repositoryPrefix, touchImage } from "./image-cache.ts";

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
}

/** Failures that have nothing to do with what the Dockerfile says. */
const machinery =
  /no space left|connection (refused|reset|timed out)|temporary failure|could not resolve|i\/o timeout|network is unreachable|TLS handshake/i;

/** Builds `environment/` to an image whose tag is the hash of what went in, unless that image is there. */
export async function buildImage(docker: Docker, request: BuildRequest): Promise<BuiltImage> {
  const file = join(request.folder, request.dockerfile ?? "Dockerfile");
  const written = await readFile(file, "utf8").catch(() => {
    throw new ConfigError(`${file} does not exist; write one, or name a prebuilt image as docker_image in task.toml.`);
  });
  const { dockerfile, deviations } = await withReachableBases(docker, written, file, request);
  const ignore = dockerIgnore(await readFile(join(request.folder, ".dockerignore"), "utf8").catch(() => ""));
  const entries = (await listHostFolder(request.folder)).filter((entry) => !ignore(entry.path));
  const hash = await contentHash(request, entries, dockerfile);
  const tag = `${repositoryPrefix}${imageName(request.name)}:${hash.slice(0, 16)}`;
  if (await hasImage(docker, tag)) await touchImage(docker, tag);
  else await build(docker, request, { tag, dockerfile, entries, file });
  return { tag, deviations };
}

async function withReachableBases(docker: Docker, written: string, file: string, request: BuildRequest) {
  const replacements = new Map<number, string>();
  const deviations: string[] = [];
  for (const { image, line } of baseImages(written)) {
    if (await pull(docker, image, request.signal)) continue;
    if (image === baseImage)
      throw new ConfigError(`${file}:${line}: the image ${baseImage} is not there; make it with \`forge images bootstrap\`.`);
    if (!(await hasImage(docker, baseImage)))
      throw new InfraError(
        `${file}:${line}: the image ${image} cannot be pulled, and ${baseImage}, which could stand in, is not there; run \`forge images bootstrap\`.`,
      );
    replacements.set(line, baseImage);
    deviations.push(`FROM ${image} could not be pulled; the image was built on ${baseImage} instead.`);
  }
  return { dockerfile: replacements.size > 0 ? replaceBaseImages(written, replacements) : written, deviations };
}

function contentHash({ folder, target, args = {} }: BuildRequest, entries: readonly HostEntry[], dockerfile: string): Promise<string> {
  const more =
    target === undefined && Object.keys(args).length === 0
      ? []
      : [
          target ?? "",
          Object.keys(args)
            .toSorted()
            .map((key) => [key, args[key]]),
        ];
  return hashEntries(folder, entries, ["forge-task", 1, dockerfile, ...more]);
}

/** The name part of a reference: lower case, separators single and inside. */
function imageName(name: string): string {
  const clean = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return clean.slice(0, 80).replace(/-$/, "") || "task";
}

async function build(
  docker: Docker,
  request: BuildRequest,
  o: { tag: string; dockerfile: string; entries: readonly HostEntry[]; file: string },
): Promise<void> {
  const name = request.dockerfile ?? "Dockerfile";
  const context = packFolder(
    request.folder,
    o.entries.filter((entry) => entry.path !== name),
    "",
    [{ path: name, content: o.dockerfile }],
  );
  const late = AbortSignal.timeout(request.timeoutMs);
  const abortSignal = AbortSignal.any([late, ...(request.signal ? [request.signal] : [])]);
  let step = "";
  const said: string[] = [];
  const listen = (text: string) => {
    for (const line of text
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean)) {
      const isStep = /^Step \d+\/\d+ : /.test(line);
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
    // No labels: they would be one more step, and the numbers should be the Dockerfile's.
    const stream = await docker.buildImage(Readable.from(context), {
      t: o.tag,
      rm: true,
      forcerm: true,
      abortSignal,
      dockerfile: name,
      ...(request.target === undefined ? {} : { target: request.target }),
      ...(request.args === undefined ? {} : { buildargs: { ...request.args } }),
    });
    error = await followProgress(stream, listen);
    // The daemon answers 200 and no error where a build failed before its first step.
    if (error === undefined && !(await hasImage(docker, o.tag))) error = "the daemon gave no reason";
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
