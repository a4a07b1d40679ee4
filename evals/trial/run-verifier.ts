import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InfraError } from "../../harness/errors.ts";
import { SandboxPathError, type ExecResult, type Sandbox } from "../../harness/sandbox/sandbox.ts";
import { quote } from "../../harness/sandbox/shell/quote.ts";
import type { Task } from "../../tasks/task.ts";
import { maxRewardBytes, readRewards, type RewardReading } from "./read-rewards.ts";
import { sandboxPlaces } from "./sandbox-places.ts";

/** A folder stays, because it may be a mount, and what it holds goes; anything else goes as a whole. */
const emptied = `if [ -d "$d" ] && [ ! -L "$d" ]; then rm -rf -- "$d"/* "$d"/.[!.]* "$d"/..?*; else rm -rf -- "$d"; fi`;

export interface VerifierRun {
  readonly task: Task;
  readonly sandbox: Sandbox;
  /** The sandbox is ours alone: `/tests` and the reward's folder are made anew, whatever lies there. Else the format's runner is followed: they are added to. */
  readonly fresh: boolean;
  /** Where what the verifier printed is kept; made here. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Puts the tests into the sandbox, runs `test.sh` and reads the reward. The script's exit code means nothing. A time-out, or a reward that cannot
 * be read, is an `unreadable` reading; a sandbox that is gone throws `InfraError`.
 */
export async function runVerifier({ task, sandbox, fresh, folder, signal }: VerifierRun): Promise<RewardReading> {
  const { tests, verifierLogs } = await sandboxPlaces(sandbox);
  const [testsWord, logsWord] = [quote(tests), quote(verifierLogs)];
  const asRoot = await rootOption(sandbox, signal);
  const clear = fresh ? `for d in ${testsWord} ${logsWord}; do ${emptied}; done; ` : "";
  const made = await sandbox.exec(`${clear}mkdir -p -- ${logsWord} && chmod 777 ${logsWord}`, { cwd: "/", signal, ...asRoot });
  if (fresh && made.exitCode !== 0)
    throw new InfraError(`${verifierLogs} could not be made in a fresh sandbox: ${new TextDecoder().decode(made.stderr).trim()}.`);
  try {
    await sandbox.upload(task.verifier.testsFolder, tests);
  } catch (error) {
    if (error instanceof SandboxPathError) return { type: "unreadable", why: `the tests could not be put in place: ${error.message}` };
    throw error;
  }
  const script = `${tests}/test.sh`;
  const ran = await sandbox.exec(`chmod +x ${quote(script)}; exec ${quote(script)}`, {
    timeoutMs: task.verifier.timeoutMs,
    env: task.verifier.env,
    signal,
    maxBytes: 1024 * 1024,
    ...(fresh ? asRoot : {}),
  });
  await keepOutput(folder, ran);
  if (ran.status === "timeout") return { type: "unreadable", why: `the verifier ran longer than ${task.verifier.timeoutMs} ms` };
  if (ran.status === "killed") return { type: "unreadable", why: "the verifier was killed" };
  const file = (name: string): Promise<Uint8Array | undefined> => readSmall(sandbox, `${verifierLogs}/${name}`, signal);
  const json = await file("reward.json");
  return readRewards({ json, txt: json ? undefined : await file("reward.txt") });
}

/** Images with a user of their own: only root may make `/tests` and `/logs` there. (Another user costs a session of its own, so it is asked for only then.) */
async function rootOption(sandbox: Sandbox, signal: AbortSignal): Promise<{ user?: string }> {
  if (sandbox.kind !== "docker") return {};
  const { stdout } = await sandbox.exec("id -u", { cwd: "/", signal });
  return new TextDecoder().decode(stdout).trim() === "0" ? {} : { user: "root" };
}

/**
 * At most one byte more than a reward may have, so that a hostile file costs nothing; undefined when there is none. A folder or a pipe reads as
 * too large.
 */
async function readSmall(sandbox: Sandbox, path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const word = quote(path);
  const read = await sandbox.exec(`[ -e ${word} ] || exit 44; [ -f ${word} ] || exit 45; head -c ${maxRewardBytes + 1} ${word}`, {
    cwd: "/",
    timeoutMs: 20_000,
    signal,
  });
  if (read.exitCode === 44) return undefined;
  return read.exitCode === 0 ? read.stdout : new Uint8Array(maxRewardBytes + 1);
}

async function keepOutput(folder: string, { stdout, stderr, ...ended }: ExecResult): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "stdout.txt"), stdout);
  await writeFile(join(folder, "stderr.txt"), stderr);
  await writeFile(join(folder, "ended.json"), `${JSON.stringify(ended)}\n`);
}
