import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import tar from "tar-stream";
import { bootstrapBaseImage, followProgress, hasImage } from "../../harness/sandbox/docker/image/base-image.ts";
import { connect, connectionFromEnvironment } from "../../harness/sandbox/docker/daemon/connection.ts";
import { dockerfileOf } from "./stand-in.ts";

/** Makes an image that stands in for an official one, unless it is there. Throws when it cannot be made. */
export async function prepareStandIn(tag: string, say: (line: string) => void): Promise<void> {
  const docker = connect(connectionFromEnvironment());
  if (await hasImage(docker, tag)) return;
  await bootstrapBaseImage({ onProgress: say });
  const { SSL_CERT_FILE: file } = process.env;
  const certificates = file === undefined ? undefined : await readFile(file).catch(() => undefined);
  const dockerfile = dockerfileOf(tag, certificates !== undefined);
  if (dockerfile === undefined) return;
  say(`Building ${tag} …`);
  const pack = tar.pack();
  pack.entry({ name: "Dockerfile" }, dockerfile);
  if (certificates) pack.entry({ name: "ca.pem" }, certificates);
  pack.finalize();
  const failed = await followProgress(await docker.buildImage(Readable.from(pack), { t: tag, rm: true, forcerm: true }));
  if (failed !== undefined) throw new Error(`${tag} could not be built: ${failed}`);
}

/** Whether an image is on this machine: asked of the daemon once. */
export async function presentImages(): Promise<(image: string) => boolean> {
  const images = await connect(connectionFromEnvironment()).listImages();
  const tags = new Set(images.flatMap(({ RepoTags }) => RepoTags ?? []));
  return (image) => tags.has(image) || tags.has(`${image}:latest`);
}
