import { existsSync } from "node:fs";
import { readPublicKey } from "../evals/archive/signature.ts";
import { verifyArchive } from "../evals/archive/verify-archive.ts";
import { CannotError } from "../harness/errors.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { createSlowProgress } from "../reports/terminal/slow-progress.ts";
import { describeVerification } from "../reports/terminal/verification.ts";
import type { VerifyFlags } from "./commands/bench-verify.ts";
import { interruptible } from "./interruptible.ts";
import { systemClock } from "./system-ports.ts";
import { forgeVersion } from "./version.ts";

const defaultMaxBytes = 4e9;

/** Carries out `forge bench verify`; answers the exit code. */
export async function verifyBench(archive: string, flags: VerifyFlags): Promise<number> {
  if (!existsSync(archive)) throw new CannotError(`There is no file ${archive}; forge bench export writes one.`);
  const key = flags.key === undefined ? {} : { key: await readPublicKey(flags.key) };
  const progress = createSlowProgress(process.stderr, systemClock.now);
  try {
    const verification = await interruptible(({ stop }) =>
      verifyArchive(
        { archive, ...key, maxBytes: flags.maxSize ?? defaultMaxBytes, forgeVersion: forgeVersion() },
        { signal: stop, onProgress: (what, done, of) => progress.at(what, done, of) },
      ),
    );
    progress.end();
    process.stdout.write(flags.json ? `${jsonLine(verification)}\n` : `${describeVerification(verification)}\n`);
    return verification.ok ? 0 : 1;
  } catch (error) {
    progress.end();
    if (!(error instanceof Error && error.message === "interrupted")) throw error;
    process.stderr.write("Interrupted: the archive was not verified.\n");
    return 130;
  }
}
