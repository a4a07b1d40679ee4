import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { codeOf, InfraError } from "../../../harness/errors.ts";
import { SandboxPathError, type ExecResult, type Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import { parseOutput } from "../../../tasks/formats/terminal-bench/parse-output.ts";
import type { Task } from "../../../tasks/task.ts";
import type { ParserName } from "../../../tasks/verification.ts";
import { holdToTests, maxReportBytes } from "./expected-tests.ts";
import { maxRewardBytes, readRewards, type RewardReading, type VerifierFile } from "./read-rewards.ts";
import { rootOption, uploadFile } from "../sandbox/upload-file.ts";
import { sandboxPlaces } from "../sandbox/sandbox-places.ts";
import { withNetwork } from "../sandbox/phase-network.ts";

/** A folder stays, because it may be a mount, and what it holds goes; anything else goes as a whole. */
const emptied = `if [ -d "$d" ] && [ ! -L "$d" ]; then rm -rf -- "$d"/* "$d"/.[!.]* "$d"/..?*; else rm -rf -- "$d"; fi`;

/** Of stdout and of stderr kept: half from the start, half from the end, where summaries stand. */
const maxOutputBytes = 1024 * 1024;

export interface VerifierRun {
  readonly task: Task;
  readonly sandbox: Sandbox;
  /** The sandbox is ours alone: `/tests` and the reward's folder are rebuilt, whatever is there. Else the format's runner is followed: they are added to. */
  readonly fresh: boolean;
  /** Steps share one sandbox: what an earlier step's verification left is removed. */
  readonly reset?: boolean;
  /** The image holds `/tests` already: they are neither removed nor copied. */
  readonly bundledTests?: boolean;
  /** Variables that the sandbox has for the solution alone. */
  readonly solutionEnv?: Readonly<Record<string, string>>;
  /** Where what the verifier printed is kept; made here. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Puts the tests into the sandbox, runs the test script and reads the reward. The script's exit code means nothing where it writes a reward file. A
 * time-out, or a reward that cannot be read, is an `unreadable` reading; a sandbox that is gone throws `InfraError`.
 */
export async function runVerifier(o: VerifierRun): Promise<RewardReading> {
  const { task, sandbox, fresh, folder, signal } = o;
  const { timeoutMs, script, reads, user } = task.verifier;
  const { env, command } = withoutSolution(o);
  const { tests, verifierLogs } = await sandboxPlaces(sandbox);
  const asRoot = await rootOption(sandbox, signal);
  const placed = await placeTests(o, { tests, verifierLogs }, asRoot);
  if (placed !== undefined) return placed;
  const path = quote(`${tests}/${script}`);
  // Terminal-Bench 1 gives the script to bash, as root, and reads what a terminal shows, in the order printed; Harbor executes it.
  const asked =
    script === "run-tests.sh" ? { command: `${command} bash ${path} 2>&1`, user: "root" } : { command: `${command} ${path}`, user };
  const login = asked.user === undefined ? (fresh ? asRoot : {}) : sandbox.kind === "docker" ? { user: asked.user } : {};
  const ran = await withNetwork(sandbox, task.verifier.environment ?? task.environment, task.verifier.network, () =>
    sandbox.exec(asked.command, { timeoutMs, env, signal, maxBytes: maxOutputBytes, ...login }),
  );
  await keepOutput(folder, ran);
  if (ran.status === "timeout") return { type: "unreadable", why: `the verifier ran longer than ${timeoutMs} ms` };
  if (ran.status === "killed") return { type: "unreadable", why: "the verifier was killed" };
  if (reads.type === "output") return readOutput(reads.parser, ran);
  const file = (name: string): Promise<VerifierFile> => readSmall(o, `${verifierLogs}/${name}`);
  const json = await file("reward.json");
  const reading = readRewards({ json, txt: json ? undefined : await file("reward.txt") });
  return fresh ? holdToTests(task, reading, await readSmall(o, `${verifierLogs}/ctrf.json`, maxReportBytes)) : reading;
}

/** What was set for the solution is, for the tests, what the environment says, or not set. */
function withoutSolution({ task, solutionEnv = {} }: VerifierRun): { env: Readonly<Record<string, string>>; command: string } {
  const names = Object.keys(solutionEnv);
  const own = Object.entries(task.environment.env).filter(([name]) => names.includes(name));
  const env = { ...Object.fromEntries(own), ...task.verifier.env };
  const unset = names.filter((name) => !(name in env)).map((name) => ` -u ${quote(name)}`);
  return { env, command: unset.length > 0 ? `exec env${unset.join("")}` : "exec" };
}

/** Makes `/tests` and `/logs/verifier` what the script expects; a reward that lies there is removed. A reading where that cannot be. */
async function placeTests(
  { task, sandbox, fresh, reset, bundledTests, signal }: VerifierRun,
  { tests, verifierLogs }: { tests: string; verifierLogs: string },
  asRoot: { user?: string },
): Promise<RewardReading | undefined> {
  const [testsWord, logsWord] = [quote(tests), quote(verifierLogs)];
  const cleared = bundledTests ? logsWord : `${testsWord} ${logsWord}`;
  const clear = fresh || reset ? `for d in ${cleared}; do ${emptied}; done; ` : "";
  const rewards = `rm -f -- ${logsWord}/reward.txt ${logsWord}/reward.json`;
  const made = await sandbox.exec(`${clear}mkdir -p -- ${logsWord} && chmod 777 ${logsWord}; made=$?; ${rewards}; exit $made`, {
    cwd: "/",
    signal,
    ...asRoot,
  });
  if (fresh && made.exitCode !== 0)
    throw new InfraError(`${verifierLogs} could not be made in a fresh sandbox: ${new TextDecoder().decode(made.stderr).trim()}.`);
  try {
    if (!bundledTests) for (const path of task.verifier.tests) await place(sandbox, path, tests);
  } catch (error) {
    if (error instanceof SandboxPathError) return { type: "unreadable", why: `the tests could not be put in place: ${error.message}` };
    throw error;
  }
  await sandbox.exec(`chmod +x ${quote(`${tests}/${task.verifier.script}`)}`, { cwd: "/", signal, ...asRoot });
  return undefined;
}

/** A folder's content, or one file. */
async function place(sandbox: Sandbox, path: string, tests: string): Promise<void> {
  if ((await stat(path)).isDirectory()) await sandbox.upload(path, tests);
  else await uploadFile(sandbox, basename(path), await readFile(path), tests);
}

/** Terminal-Bench 1: what was printed is the verdict. */
function readOutput(parser: ParserName, { stdout, exitCode }: ExecResult): RewardReading {
  const reading = parseOutput(parser, new TextDecoder().decode(stdout), exitCode ?? 1);
  if (reading.type === "unreadable") return reading;
  const score = reading.passed ? 1 : 0;
  return { type: "rewards", rewards: { reward: score }, score };
}

/**
 * At most one byte more than it may have, so that a hostile file costs nothing. Where no process can be started any more, as where the agent's or the tests'
 * own took all there may be, the file is copied out, which needs none.
 */
async function readSmall(o: VerifierRun, path: string, maxBytes = maxRewardBytes): Promise<VerifierFile> {
  const { sandbox, signal } = o;
  const word = quote(path);
  const asked = `[ -e ${word} ] || exit 44; [ -f ${word} ] || exit 45; head -c ${maxBytes + 1} ${word} || exit 46`;
  const read = await sandbox.exec(asked, { cwd: "/", timeoutMs: 20_000, signal }).catch((error: unknown) => {
    if (error instanceof InfraError) return error; // where the sandbox is gone, copying says so too
    throw error;
  });
  if (read instanceof InfraError) return copied(o, path, maxBytes, read.message);
  if (read.exitCode === 0) return read.stdout;
  if (read.exitCode === 44) return undefined;
  if (read.exitCode === 45) return { unread: "is no file" };
  const said = new TextDecoder().decode(read.stderr).trim().slice(0, 200);
  return copied(o, path, maxBytes, said || `the command ended with ${read.exitCode ?? read.status}`);
}

async function copied({ sandbox, folder, signal }: VerifierRun, path: string, maxBytes: number, why: string): Promise<VerifierFile> {
  const copy = await mkdtemp(join(folder, "read-"));
  try {
    await sandbox.download(path, copy, { maxBytes, maxEntries: 1 });
    return await readFile(join(copy, basename(path)));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SandboxPathError && error.message === `${path} does not exist.`) return undefined;
    if (error instanceof SandboxPathError || codeOf(error) === "ENOENT") return { unread: `could not be read: ${why.replace(/\.$/, "")}` };
    throw error;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function keepOutput(folder: string, { stdout, stderr, ...ended }: ExecResult): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "stdout.txt"), stdout);
  await writeFile(join(folder, "stderr.txt"), stderr);
  await writeFile(join(folder, "ended.json"), `${JSON.stringify(ended)}\n`);
}
