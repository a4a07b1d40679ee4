import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGunzip, type Gunzip } from "node:zlib";
import type Docker from "dockerode";
import tar from "tar-stream";
import { lineHashes } from "../../../hash/line-hashes.ts";

/** What lies in an image beside the files that a container of it shows. */
export interface ImageSecrets {
  readonly texts: readonly { readonly where: string; readonly text: string }[];
  /** Absolute paths in all layers, also of files that a later layer removes. No hash: larger than 4 MiB. */
  readonly files: readonly LayerFile[];
}

interface LayerFile {
  readonly path: string;
  readonly sha256?: string;
  /** As `lineHashes` answers them, where there is a hash. */
  readonly lines?: Float64Array;
}

const hashedBytes = 4 * 1024 * 1024;
/** By the name a layer has in an export, which is made of its content: images of one base share most of them. */
const known = new Map<string, readonly LayerFile[]>();
/** Lines that are kept for later images: 160 MB. The base image has two million. */
const mostLines = 20_000_000;

/** Reads an image's history, configuration and every layer, by the engine's export: works for a daemon anywhere. Throws what the client throws, and the reason of `stop`. */
export async function imageSecrets(docker: Docker, id: string, stop?: AbortSignal): Promise<ImageSecrets> {
  const image = docker.getImage(id);
  const { Config: config } = await image.inspect();
  const history = (await image.history()) as { CreatedBy?: string; Comment?: string }[]; // `any` in its types
  const texts = [
    ...history.flatMap(({ CreatedBy = "", Comment = "" }, i) => [
      // A step that had build arguments begins with their number and values.
      {
        where: CreatedBy.startsWith("|") ? `a build argument of step ${history.length - i}` : `step ${history.length - i}`,
        text: CreatedBy,
      },
      { where: `the comment of step ${history.length - i}`, text: Comment },
    ]),
    ...(config.Env ?? []).map((text) => ({ where: "a variable of the image", text })),
    ...Object.entries(config.Labels ?? {}).map(([key, value]) => ({ where: `the label ${key}`, text: String(value) })),
    { where: "the command of the image", text: [config.Entrypoint ?? [], config.Cmd ?? []].flat().join(" ") },
  ];
  const files: LayerFile[] = [];
  for await (const entry of entriesOf(Readable.from(await image.get()))) {
    const { name, type } = entry.header;
    const layer = type === "file" && (name.endsWith("/layer.tar") || name.startsWith("blobs/sha256/"));
    const found = layer ? (known.get(name) ?? (await layerFiles(entry, stop))) : [];
    if (layer) keep(name, found);
    files.push(...found);
    entry.resume();
  }
  return { texts, files };
}

/** The layers that were met longest ago make room. */
function keep(name: string, files: readonly LayerFile[]): void {
  known.delete(name);
  known.set(name, files);
  const count = (some: readonly LayerFile[]): number => some.reduce((sum, { lines }) => sum + (lines?.length ?? 0), 0);
  let lines = [...known.values()].reduce((sum, some) => sum + count(some), 0);
  for (const [other, some] of known) {
    if (lines <= mostLines || other === name) return;
    known.delete(other);
    lines -= count(some);
  }
}

/** Of an archive, packed or not. One that is left early ends what flows into it, too; what breaks on the way, the loop over it throws. */
const entriesOf = (bytes: Readable, ...unpack: Gunzip[]): tar.Extract => {
  const extract = tar.extract();
  pipeline([bytes, ...unpack, extract], () => {});
  return extract;
};

type Entry = { [Symbol.asyncIterator](): AsyncIterator<unknown> };

/** Nothing for a blob that is no archive. */
async function layerFiles(entry: Entry, stop?: AbortSignal): Promise<LayerFile[]> {
  const chunks = entry[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 512) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value as Uint8Array]); // a tar stream yields bytes
  }
  const rest = async function* () {
    yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  const packed = head[0] === 0x1f && head[1] === 0x8b;
  if (!packed && head.subarray(257, 262).toString() !== "ustar") {
    while (!(await chunks.next()).done); // to its end, so that the next one comes
    return [];
  }
  const bytes = Readable.from(rest());
  const files: LayerFile[] = [];
  for await (const file of entriesOf(bytes, ...(packed ? [createGunzip()] : []))) {
    stop?.throwIfAborted();
    const { name, type, size } = file.header;
    const path = `/${name.replace(/^\.?\//, "")}`;
    if (type === "file" && size <= hashedBytes) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of file) chunks.push(chunk as Uint8Array);
      const content = Buffer.concat(chunks);
      files.push({ path, sha256: createHash("sha256").update(content).digest("hex"), lines: lineHashes(content) });
    } else if (type === "file") files.push({ path });
    file.resume();
  }
  return files;
}
