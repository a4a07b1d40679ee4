import { plural } from "../../harness/text/figures.ts";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import tar from "tar-stream";
import { CannotError, DamagedError, ForgeError, messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import { encodeName } from "../job/job-folder.ts";
import { manifestName, parseManifest, signatureName, type Manifest } from "./archive-format.ts";
import { placeLimit } from "./archive-path.ts";
import { createCountingHash } from "../../harness/archive/counting-hash.ts";
import { type PackedFile, packBytes, packFile, smallBytes } from "../../harness/archive/pack-archive.ts";
import { isMachineTrouble } from "./check/findings.ts";
import { parseSums, sumsName } from "../../harness/archive/sha256-sums.ts";

const MiB = 1024 ** 2;
/** What is read as a whole before anything is known of the archive. */
const headLimits: Readonly<Record<string, number>> = { [manifestName]: 64 * MiB, [signatureName]: 64 * 1024, [sumsName]: 256 * MiB };
/** Left free on the disk that is unpacked to. */
const spareBytes = 512 * MiB;

export interface UnpackedArchive {
  readonly manifest: Manifest;
  readonly manifestText: string;
  readonly signature: string | undefined;
  /** As they were found. */
  readonly files: readonly PackedFile[];
  /** Files with other bytes than `SHA256SUMS` names. */
  readonly changed: readonly string[];
}

/**
 * Unpacks an archive into an empty private folder, trusting nothing in it: the names must be those of `SHA256SUMS`, in their order, each a place where
 * a job has a file; nothing but files is made; no more is read or written than the manifest declares, and that not beyond `maxBytes`.
 * @throws DamagedError for what is no whole archive of a job; CannotError where it is too large for here
 */
export async function unpackArchive(
  path: string,
  folder: string,
  o: {
    readonly maxBytes: number;
    readonly signal: AbortSignal;
    readonly onProgress?: (done: number, of: number) => void;
    /** Small files that are checked and not written: making a file is what takes longest. `size` in bytes. */
    readonly leaves?: (file: string, size: number) => boolean;
  },
): Promise<UnpackedArchive> {
  const total = (await stat(path)).size;
  let allowed = 128 * MiB; // before the manifest says how much there is
  const raw = createCountingHash((chunk, before) => {
    if (before + chunk.length > allowed) throw new DamagedError("The archive unpacks to more than its manifest declares.");
  });
  const gunzip = createGunzip();
  const extract = tar.extract();
  const read = pipeline(createReadStream(path), gunzip, raw.stream, extract, { signal: o.signal });
  read.catch(() => undefined); // awaited below
  const again = tar.pack();
  const repacked = digestOf(again);
  repacked.catch(() => undefined); // awaited below
  const makeFolder = createFolderMaker(resolve(folder));
  const head = new Map<string, string>();
  const files: PackedFile[] = [];
  const changed: string[] = [];
  let manifest: Manifest | undefined;
  let sums: ReadonlyMap<string, string> | undefined;
  let expected: IterableIterator<readonly [string, string]> | undefined;
  let prefix = "";
  let bytes = 0;
  try {
    for await (const entry of extract) {
      const { name, type, size } = entry.header;
      if (type !== "file")
        throw new DamagedError(`The archive holds ${JSON.stringify(name.slice(0, 200))}, which is no file (${type ?? "unknown"}).`);
      if (!sums || !manifest) {
        const wanted: string = !manifest ? manifestName : manifest.signer !== null && !head.has(signatureName) ? signatureName : sumsName;
        if (!manifest) prefix = name.slice(0, name.lastIndexOf("/") + 1);
        if (name !== prefix + wanted || size > (headLimits[wanted] ?? 0))
          throw new DamagedError(`The archive has ${JSON.stringify(name.slice(0, 200))} (${size} bytes) where ${wanted} should be.`);
        const text = await textOf(entry);
        head.set(wanted, text);
        await packBytes(again, name, Buffer.from(text));
        if (wanted === manifestName) {
          manifest = parseManifest(text);
          if (prefix !== `${encodeName(manifest.job)}/`)
            throw new DamagedError(`The archive's folder is ${JSON.stringify(prefix)}, and its job is ${manifest.job}.`);
          await refuseTooLarge(manifest, folder, o.maxBytes);
          // a header, and for a long name two blocks more, and the padding of each
          allowed = raw.bytes + manifest.bytes + (manifest.files + 8) * 16 * 1024 + (headLimits[sumsName] ?? 0);
        } else if (wanted === sumsName) {
          if (sha256(text) !== manifest?.sums) throw new DamagedError(`${sumsName} is not the one that the manifest names.`);
          sums = parseSums(text);
          expected = sums.entries() as IterableIterator<readonly [string, string]>; // as a Map has them
        }
      } else {
        const file = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
        const next: readonly [string, string] | undefined = expected?.next().value;
        if (file === undefined || !next || file !== next[0]) throw misplaced(name, file, next?.[0], sums);
        const limit = placeLimit(file);
        if (limit === undefined)
          throw new DamagedError(`The archive holds ${JSON.stringify(file.slice(0, 200))}, and a job has no file there.`);
        bytes += size;
        if (size > limit || bytes > manifest.bytes)
          throw new DamagedError(
            `The archive's ${JSON.stringify(file.slice(0, 200))} has ${size} bytes, more than such a file may have, or than the manifest declares.`,
          );
        // Its name is one of the places where a job has files, so it lies inside.
        const to = resolve(folder, file);
        const left = size <= smallBytes && o.leaves?.(file, size) === true;
        if (!left) makeFolder(dirname(to));
        let found: string;
        if (size <= smallBytes) {
          // a stream for each of thousands of small files takes longer than all else
          const content = await bytesOf(entry);
          if (!left) writeFileSync(to, content, { flag: "wx", mode: 0o600 });
          found = sha256(content);
          await packBytes(again, name, content);
        } else {
          await pipeline(entry, createWriteStream(to, { flags: "wx", mode: 0o600 }));
          found = await packFile(again, name, { path: to, bytes: size });
        }
        if (found !== next[1]) changed.push(file);
        files.push({ path: file, bytes: size, sha256: found });
        o.onProgress?.(files.length, manifest.files);
      }
      entry.resume();
    }
    await read;
  } catch (error) {
    extract.destroy();
    again.destroy();
    await read.catch(() => undefined);
    o.signal.throwIfAborted();
    throw error instanceof ForgeError || isMachineTrouble(error)
      ? error
      : new DamagedError(`The archive cannot be unpacked: ${messageOf(error).replace(/\.$/, "")}.`);
  }
  const missing: readonly [string, string] | undefined = expected?.next().value;
  if (!manifest || !sums) throw new DamagedError(`The archive ends before its ${manifest ? sumsName : manifestName}.`);
  if (missing) throw new DamagedError(`The archive ends before ${JSON.stringify(missing[0])}, which ${sumsName} names.`);
  if (files.length !== manifest.files || bytes !== manifest.bytes)
    throw new DamagedError(
      `The archive holds ${plural(files.length, "file")} with ${plural(bytes, "byte")}, and its manifest declares ${manifest.files} with ${manifest.bytes}.`,
    );
  if (gunzip.bytesWritten !== total)
    throw new DamagedError(`The archive ends at byte ${gunzip.bytesWritten}, and ${total - gunzip.bytesWritten} bytes follow.`);
  again.finalize();
  if ((await repacked) !== raw.sha256())
    throw new DamagedError("The archive is not as Forge writes one: something between its files was changed, or added.");
  return { manifest, manifestText: head.get(manifestName) ?? "", signature: head.get(signatureName), files, changed };
}

async function refuseTooLarge({ bytes, files }: Manifest, folder: string, maxBytes: number): Promise<void> {
  const gigabytes = (n: number): string => `${(n / 1e9).toFixed(1)} GB`;
  if (bytes > maxBytes)
    throw new CannotError(
      `The archive unpacks to ${gigabytes(bytes)}, and at most ${gigabytes(maxBytes)} are allowed; allow more with --max-size.`,
    );
  const { bavail, bsize } = await statfs(folder);
  const needed = bytes + files * 4096 + spareBytes;
  if (needed > bavail * bsize)
    throw new CannotError(
      `The archive unpacks to ${gigabytes(bytes)}, and ${folder} has only ${gigabytes(bavail * bsize)} free; name a larger folder with TMPDIR.`,
    );
}

function misplaced(name: string, file: string | undefined, next: string | undefined, sums: ReadonlyMap<string, string>): DamagedError {
  const at = JSON.stringify(name.slice(0, 200));
  if (file === undefined || !sums.has(file)) return new DamagedError(`The archive holds ${at}, which ${sumsName} does not name.`);
  if (next !== undefined && next < file)
    return new DamagedError(`The archive lacks ${JSON.stringify(next.slice(0, 200))}, which ${sumsName} names.`);
  return new DamagedError(`The archive holds ${at} twice.`);
}

/** Makes folders inside one that exists, each with one call: `recursive` first fails at the deepest and goes up. */
function createFolderMaker(root: string): (folder: string) => void {
  const made = new Set([root]);
  const make = (folder: string): void => {
    if (made.has(folder)) return;
    make(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
    made.add(folder);
  };
  return make;
}

async function digestOf(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk as Buffer); // a byte stream
  return hash.digest("hex");
}

async function bytesOf(entry: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer); // a byte stream
  return Buffer.concat(chunks);
}

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await bytesOf(entry));
  } catch {
    throw new DamagedError("The archive's list of files is not UTF-8 text.");
  }
}
