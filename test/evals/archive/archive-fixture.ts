import { readFile, writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { Readable } from "node:stream";
import tar from "tar-stream";
import { manifestText, parseManifest, type Manifest } from "../../../evals/archive/archive-format.ts";
import { sumsText } from "../../../harness/archive/sha256-sums.ts";
import { verifyArchive, type Verification, type VerifyOptions, type VerifyRequest } from "../../../evals/archive/verify-archive.ts";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";

export const signal = new AbortController().signal;

export function verify(archive: string, request: Partial<VerifyRequest> = {}, o: Partial<VerifyOptions> = {}): Promise<Verification> {
  return verifyArchive({ archive, maxBytes: 1e9, forgeVersion: "0.1.0", ...request }, { signal, ...o });
}

/** `name state` of what does not hold. */
export const failing = ({ checks }: Verification): string[] => checks.filter(({ state }) => state === "fails").map(({ name }) => name);
export const unchecked = ({ checks }: Verification): string[] =>
  checks.filter(({ state }) => state === "unchecked").map(({ name }) => name);
export const says = ({ checks }: Verification, name: string): string => checks.find((check) => check.name === name)?.says ?? "";

/** The entries of an archive, in their order, without the folder they lie in. */
export async function openArchive(path: string): Promise<{ prefix: string; files: Map<string, Buffer> }> {
  const files = new Map<string, Buffer>();
  let prefix = "";
  const extract = tar.extract();
  Readable.from([gunzipSync(await readFile(path))]).pipe(extract);
  for await (const entry of extract) {
    const { name } = entry.header;
    prefix ||= name.slice(0, name.indexOf("/") + 1);
    files.set(name.slice(prefix.length), await buffer(entry));
  }
  return { prefix, files };
}

export type Header = Partial<tar.Header> & { readonly name: string };

/** An archive of these entries, whatever they are. */
export async function writeEntries(path: string, entries: readonly (readonly [Header, Buffer | string])[]): Promise<void> {
  const pack = tar.pack();
  for (const [header, content] of entries) {
    const fixed = { mode: 0o644, uid: 0, gid: 0, mtime: new Date(0), type: "file" as const, ...header };
    if (fixed.type === "file") pack.entry(fixed, content);
    else pack.entry(fixed);
  }
  pack.finalize();
  await writeFile(path, gzipSync(await buffer(pack)));
}

/** What a forger would do: other files, and every hash of the archive made anew. No signature is left. */
export async function forge(path: string, out: string, change: (files: Map<string, Buffer>, manifest: Manifest) => void): Promise<string> {
  const { prefix, files } = await openArchive(path);
  const manifest = parseManifest(String(files.get("manifest.json")));
  for (const name of ["manifest.json", "signature.json", "SHA256SUMS"]) files.delete(name);
  change(files, manifest);
  tellAnew(files);
  const listed = [...files]
    .map(([at, content]) => ({ path: at, content, sha256: sha256(content) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const { digest: _, ...body } = manifest;
  const bytes = listed.reduce((sum, { content }) => sum + content.length, 0);
  const text = manifestText({ ...body, signer: null, files: listed.length, bytes, sums: sha256(sumsText(listed)) });
  await writeEntries(out, [
    [{ name: `${prefix}manifest.json` }, text],
    [{ name: `${prefix}SHA256SUMS` }, sumsText(listed)],
    ...listed.map(({ path: at, content }) => [{ name: prefix + at }, content] as const),
  ]);
  return out;
}

/** The journal's hashes of the results as they are now. */
function tellAnew(files: Map<string, Buffer>): void {
  const journal = files.get("journal.jsonl");
  if (!journal) return;
  const lines = String(journal).replaceAll(/^\{"t":"attempt\.end".*$/gm, (line) => {
    const told = parse(line);
    const result = told && files.get(`${jobFolder("").trial(told)}/result.json`);
    return result && told.sha256 !== undefined ? JSON.stringify({ ...told, sha256: sha256(result) }) : line;
  });
  files.set("journal.jsonl", Buffer.from(lines));
}

function parse(line: string): (TrialPlace & { readonly sha256?: string }) | undefined {
  try {
    return JSON.parse(line) as TrialPlace & { readonly sha256?: string }; // the bench's own line, or one that a test changed
  } catch {
    return undefined;
  }
}

/** Any value of JSON, for those who know what is there. */
export interface Tree {
  [key: string]: Tree;
}

/** Changes a JSON file of an archive in place. */
export function edit(files: Map<string, Buffer>, path: string, change: (value: Tree) => void): void {
  const value = JSON.parse(String(files.get(path))) as Tree;
  change(value);
  files.set(path, Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
}
