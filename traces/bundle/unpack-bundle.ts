import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import tar from "tar-stream";
import { CannotError, DamagedError, ForgeError, messageOf } from "../../harness/errors.ts";
import { hashFile } from "../../harness/hash/hash-file.ts";
import { laterThanOurs, laterVersion } from "../format/later-version.ts";
import { bundleName, bundleSchema, bundleSums, isBundlePath, type Bundle } from "./bundle-format.ts";

const MiB = 1024 ** 2;
/** Before anything is known of the bundle. */
const headBytes = 64 * MiB;
/** Left free on the disk that is unpacked to. */
const spareBytes = 512 * MiB;

/**
 * Unpacks a bundle into an empty private folder, trusting nothing in it: only files where a bundle has them, no more bytes than its first file declares and
 * `maxBytes` allows, each with the hash that the bundle names. What the runs themselves say is for L0 to check.
 * @throws DamagedError for what is no whole bundle; CannotError for one too large for here, or of a later version
 */
export async function unpackBundle(path: string, folder: string, o: { readonly maxBytes: number }): Promise<Bundle> {
  let [allowed, unpacked, bytes] = [headBytes, 0, 0];
  const counting = new Transform({
    transform(chunk: Buffer, _, done) {
      unpacked += chunk.length;
      done(unpacked > allowed ? new DamagedError(`${path} unpacks to more than it declares.`) : null, chunk);
    },
  });
  const extract = tar.extract();
  const reading = pipeline(createReadStream(path), createGunzip(), counting, extract);
  reading.catch(() => undefined); // awaited below
  let bundle: Bundle | undefined;
  let sums: ReadonlyMap<string, string> | undefined;
  const files = new Set<string>();
  try {
    for await (const entry of extract) {
      const { name, type, size } = entry.header;
      const place = name.slice(name.indexOf("/") + 1);
      if (type !== "file" || !name.includes("/")) throw misplaced(path, name);
      if (!bundle || !sums) {
        if (place !== (bundle ? bundleSums : bundleName) || size > headBytes) throw misplaced(path, name);
        const text = await textOf(entry);
        if (bundle) sums = sumsIn(path, text);
        else {
          bundle = bundleIn(path, text);
          await refuseTooLarge(path, bundle, folder, o.maxBytes);
          allowed = unpacked + headBytes + bundle.bytes + bundle.files * 4096;
        }
      } else {
        bytes += size;
        if (!isBundlePath(place) || !sums.has(place) || files.has(place) || bytes > bundle.bytes) throw misplaced(path, name);
        const to = join(folder, place); // one of the places that were checked, so it lies inside
        await mkdir(dirname(to), { recursive: true, mode: 0o700 });
        await pipeline(entry, createWriteStream(to, { flags: "wx", mode: 0o600 }));
        if ((await hashFile(to)).sha256 !== sums.get(place))
          throw new DamagedError(`${path}: ${place} does not have the hash that the bundle names.`);
        files.add(place);
      }
      entry.resume();
    }
    await reading;
  } catch (error) {
    extract.destroy();
    await reading.catch(() => undefined);
    if (error instanceof ForgeError) throw error;
    if (error instanceof Error && "syscall" in error) throw new CannotError(`${path} cannot be unpacked: ${messageOf(error)}.`);
    throw new DamagedError(`${path} is no whole bundle of forge traces bundle: ${messageOf(error).replace(/\.$/, "")}.`);
  }
  if (!bundle || !sums) throw new DamagedError(`${path} ends before its ${bundle ? bundleSums : bundleName}.`);
  const missing = [...sums.keys()].find((place) => !files.has(place));
  if (missing !== undefined) throw new DamagedError(`${path} ends before ${missing}, which it names.`);
  return bundle;
}

const misplaced = (path: string, name: string): DamagedError =>
  new DamagedError(`${path} holds ${JSON.stringify(name.slice(0, 200))}, and a bundle of forge traces bundle has nothing like it there.`);

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer); // a byte stream
  return Buffer.concat(chunks).toString("utf8");
}

function bundleIn(path: string, text: string): Bundle {
  const damaged = new DamagedError(`${path}: its ${bundleName} is none of this version of Forge.`);
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch {
    throw damaged;
  }
  const version = laterThanOurs(head);
  if (version !== undefined) throw laterVersion(`${path}: its ${bundleName}`, version);
  const { data } = bundleSchema.safeParse(head);
  if (!data) throw damaged;
  return data;
}

function sumsIn(path: string, text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("\n").flatMap((line): [string, string][] => {
      if (line === "") return [];
      const [, hash, place] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
      if (hash === undefined || place === undefined) throw new DamagedError(`${path}: its ${bundleSums} has a line that is none.`);
      return [[place, hash]];
    }),
  );
}

async function refuseTooLarge(path: string, { bytes, files }: Bundle, folder: string, maxBytes: number): Promise<void> {
  if (bytes > maxBytes)
    throw new CannotError(`${path} unpacks to ${bytes} bytes, and at most ${maxBytes} are allowed; unpack it yourself with tar -xzf.`);
  const { bavail, bsize } = await statfs(folder);
  if (bytes + files * 4096 + spareBytes > bavail * bsize)
    throw new CannotError(`${path} unpacks to ${bytes} bytes, and ${folder} has no room for that; name a larger folder with TMPDIR.`);
}
