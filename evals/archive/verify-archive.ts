import { plural } from "../../harness/text/figures.ts";
import type { KeyObject } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DamagedError, messageOf } from "../../harness/errors.ts";
import type { Check } from "./check/findings.ts";
import { checkJob, type CheckedJob } from "./check/check-job.ts";
import { asJson, firstDifference } from "./check/job-table.ts";
import { checkSignature, fingerprint } from "./signature.ts";
import { unpackArchive, type UnpackedArchive } from "./unpack-archive.ts";

export interface VerifyRequest {
  readonly archive: string;
  /** Whose signature is expected. */
  readonly key?: KeyObject;
  /** The most that may be unpacked. */
  readonly maxBytes: number;
  /** This Forge's. */
  readonly forgeVersion: string;
}

export interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (what: "unpacking" | "checking", done: number, of: number) => void;
  /** Verifies the rewards of the job in this folder again. Left out: they are not. */
  readonly rewards?: (folder: string, job: CheckedJob) => Promise<readonly Check[]>;
}

export interface Verification {
  readonly archive: string;
  readonly job: string | null;
  /** Nothing that was looked at fails. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/**
 * Looks at an archive without trusting anything in it. It is unpacked into a private folder, which is gone when this answers.
 * @throws CannotError where the archive is of a later format or too large for here
 */
export async function verifyArchive(request: VerifyRequest, o: VerifyOptions): Promise<Verification> {
  const folder = await mkdtemp(join(tmpdir(), "forge-verify-"));
  try {
    let unpacked: UnpackedArchive;
    try {
      unpacked = await unpackArchive(request.archive, folder, {
        maxBytes: request.maxBytes,
        signal: o.signal,
        onProgress: (done, of) => o.onProgress?.("unpacking", done, of),
      });
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      return verification(request, null, [{ name: "archive", state: "fails", says: messageOf(error) }]);
    }
    const { manifest } = unpacked;
    const job = await checkJob(folder, { signal: o.signal, onProgress: (done, of) => o.onProgress?.("checking", done, of) });
    const contents = belongs(unpacked, job);
    const rewards = await rewardChecks(o, folder, job, contents);
    return verification(
      request,
      manifest.job,
      [
        ...filesCheck(unpacked),
        ...signatureCheck(unpacked, request.key),
        ...contents,
        ...job.checks,
        tableCheck(unpacked, job, request.forgeVersion),
        ...rewards,
      ].map((check) => withoutFolder(check, folder)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tests are run on what agents left only where every file is one that the job's records speak of. */
async function rewardChecks(
  { rewards }: VerifyOptions,
  folder: string,
  job: CheckedJob,
  contents: readonly Check[],
): Promise<readonly Check[]> {
  if (!rewards) return [{ name: "rewards", state: "unchecked", says: "they are verified again only with --rewards" }];
  if (contents.every(({ state }) => state === "holds")) return rewards(folder, job);
  return [{ name: "rewards", state: "unchecked", says: "the archive holds what is of no trial of the job, so nothing of it is run" }];
}

/** The private folder is gone when this is read. */
function withoutFolder(check: Check, folder: string): Check {
  const plain = (text: string): string => text.replaceAll(`${folder}/`, "");
  return { ...check, says: plain(check.says), ...(check.more ? { more: check.more.map(plain) } : {}) };
}

function verification({ archive }: VerifyRequest, job: string | null, checks: readonly Check[]): Verification {
  return { archive, job, ok: checks.every(({ state }) => state !== "fails"), checks };
}

function filesCheck({ files, changed, manifest }: UnpackedArchive): Check[] {
  const [first, ...more] = changed.map((path) => `${path} does not have the bytes that SHA256SUMS names`);
  return [
    { name: "archive", state: "holds", says: `written by Forge ${manifest.forgeVersion}, every byte of its tar in its place` },
    first === undefined
      ? { name: "files", state: "holds", says: `${plural(files.length, "file")}, each with the bytes that the manifest names` }
      : { name: "files", state: "fails", says: first, ...(more.length > 0 ? { more: more.slice(0, 5) } : {}) },
  ];
}

function signatureCheck({ signature, manifest, manifestText }: UnpackedArchive, expected: KeyObject | undefined): Check[] {
  if (signature === undefined)
    return expected
      ? [{ name: "signature", state: "fails", says: "the archive is not signed, and a key was expected" }]
      : [{ name: "signature", state: "unchecked", says: "the archive is not signed: anyone who changes it can recompute its hashes" }];
  let signer: string;
  try {
    signer = checkSignature(signature, manifestText);
  } catch (error) {
    return [{ name: "signature", state: "fails", says: messageOf(error) }];
  }
  if (signer !== manifest.signer) return [{ name: "signature", state: "fails", says: "it is by another key than the manifest names" }];
  const fits: Check = { name: "signature", state: "holds", says: `ed25519, fits the manifest, by key ${signer}` };
  if (!expected) return [fits, { name: "signer", state: "unchecked", says: "whose key that is; give the one you expect with --key" }];
  const wanted = fingerprint(expected);
  return [
    fits,
    wanted === signer
      ? { name: "signer", state: "holds", says: "the key that was expected" }
      : { name: "signer", state: "fails", says: `another key than the expected one, which is ${wanted}` },
  ];
}

/** Every file must be one that the job needs: what nothing refers to, nothing has looked at. */
function belongs({ files, manifest }: UnpackedArchive, { lock, blobs, trials, attempts }: CheckedJob): Check[] {
  if (!lock) return [];
  const results = new Set([...trials].map((trial) => `${trial}/result.json`));
  const inAttempts = new Set(attempts);
  const strange = files.find(({ path }) => {
    if (path.startsWith("blobs/")) return !blobs.has(path.slice(path.lastIndexOf("/") + 1));
    if (!path.startsWith("trials/")) return false;
    return !results.has(path) && !inAttempts.has(path.split("/").slice(0, 5).join("/"));
  });
  if (strange) return [{ name: "contents", state: "fails", says: `${strange.path} is of no trial of the job` }];
  if (lock.job !== undefined && lock.job !== manifest.job)
    return [{ name: "contents", state: "fails", says: `the manifest names job ${manifest.job}, and the lock ${lock.job}` }];
  return [{ name: "contents", state: "holds", says: "every file is of the job" }];
}

function tableCheck({ manifest }: UnpackedArchive, { table }: CheckedJob, forgeVersion: string): Check {
  if (!table) return { name: "table", state: "unchecked", says: "not every trial can be read" };
  const differs = firstDifference(manifest.table, asJson(table));
  if (differs === undefined) return { name: "table", state: "holds", says: "counts, intervals and comparison come out the same" };
  if (manifest.forgeVersion !== forgeVersion)
    return {
      name: "table",
      state: "unchecked",
      says: `it was computed by Forge ${manifest.forgeVersion}, and this is ${forgeVersion}, which computes otherwise (${differs})`,
    };
  return { name: "table", state: "fails", says: `the numbers do not come out the same: ${differs}` };
}
