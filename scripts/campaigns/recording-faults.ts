import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { loadTrace } from "../../traces/read/load-trace.ts";
import { recoverTrace } from "../../traces/keep/recover-trace.ts";
import { replayTrace } from "../../traces/replay/replay-trace.ts";
import { verifyTrace } from "../../traces/replay/verify/verify-trace.ts";

/** What is done to a run while it is recorded. */
export type Fault =
  /** `kill -9` so many milliseconds after its first durable turn. */
  | { readonly kind: "kill"; readonly afterMs: number }
  /** strace lets a system call fail: `pwrite64:error=ENOSPC:when=7+`. */
  | { readonly kind: "call"; readonly inject: string }
  /** Files can grow to so many KiB: the write that crosses it is cut short, and the next one fails. `inject` as above, at the same time. */
  | { readonly kind: "size"; readonly kib: number; readonly inject?: string };

/** What was left, and whether it is what it should be. */
export interface FaultOutcome {
  /** Events whose durability the run had told, and those that were found. */
  readonly acknowledged: number;
  readonly found: number;
  /** Bytes set aside. */
  readonly torn: number;
  readonly sealed: boolean;
  /** Of the process; null: killed. */
  readonly exitCode: number | null;
  /** What it said on standard error. */
  readonly said: string;
  /** Each a sentence; none: everything held. */
  readonly problems: readonly string[];
}

const jiti = join(dirname(createRequire(import.meta.url).resolve("jiti/package.json")), "lib", "jiti-cli.mjs");
const program = join(import.meta.dirname, "..", "..", "test", "faults", "recording-child.ts");

/** Records a run in `folder` under a fault, then checks that what was acknowledged is there, whole, replays exactly, and can be recovered. */
export async function recordUnder(fault: Fault, folder: string, turns = 40): Promise<FaultOutcome> {
  const node = [process.execPath, jiti, program, folder, String(turns)];
  const limited = fault.kind === "size" ? ["bash", "-c", `trap '' XFSZ; ulimit -f ${fault.kib}; exec "$@"`, "bash", ...node] : node;
  const inject = fault.kind === "kill" ? undefined : fault.inject;
  const call = inject?.split(":")[0];
  const traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${inject}`, ...limited];
  const command = inject === undefined ? limited : traced;
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let said = "";
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const first = new Promise<void>((resolve) => child.stdout.on("data", (piece: Buffer) => (void (out += piece.toString()), resolve())));
  child.stderr.on("data", (piece: Buffer) => void (said += piece.toString()));
  if (fault.kind === "kill") {
    await Promise.race([first, closed]);
    await wait(fault.afterMs);
    child.kill("SIGKILL");
  }
  const exitCode = await closed;
  return { ...(await judge(out, folder)), exitCode, said: said.trim() };
}

async function judge(out: string, folder: string): Promise<Pick<FaultOutcome, "acknowledged" | "found" | "torn" | "sealed" | "problems">> {
  const lines = out
    .slice(0, out.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
  const acknowledged = Math.max(0, ...lines.filter((line) => line !== "sealed").map(Number));
  const problems: string[] = [];
  const nothing = { acknowledged, found: 0, torn: 0, sealed: false };
  if (!existsSync(join(folder, "trace.jsonl")))
    return { ...nothing, problems: acknowledged > 0 ? ["There is no trace, and events were acknowledged."] : [] };
  try {
    const check = await verifyTrace(folder);
    const { events: found, sealed } = check;
    const torn = check.torn?.bytes ?? 0;
    if (found < acknowledged) problems.push(`${acknowledged} events were acknowledged, ${found} are there.`);
    if (lines.includes("sealed") && !sealed) problems.push("The seal was acknowledged and is not there.");
    const recovered = sealed
      ? undefined
      : await recoverTrace(folder, { clock: { now: () => Date.now(), sleep: async () => undefined }, micros: () => 0 });
    if (recovered && recovered.torn !== torn) problems.push(`${torn} bytes were torn, ${recovered.torn} were set aside.`);
    const after = await verifyTrace(folder);
    if (!after.sealed || after.events !== found + (recovered ? 1 : 0)) problems.push("The recovered trace is not the one that was left.");
    const { exact, cutOff } = await replayTrace(await loadTrace(folder), { assemble: async () => [] });
    if (!exact) problems.push("What is left does not replay exactly.");
    if (sealed && cutOff) problems.push("The trace is sealed and has no end.");
    return { acknowledged, found, torn, sealed, problems };
  } catch (error) {
    const none = acknowledged === 0 && error instanceof Error && error.message.includes("no whole event");
    return { ...nothing, problems: none ? [] : [error instanceof Error ? error.message : String(error)] };
  }
}

/** One run under each of them, four at a time. */
export async function recordUnderEach(
  faults: readonly Fault[],
  root: string,
  each: (fault: Fault, outcome: FaultOutcome) => void,
): Promise<void> {
  const waiting = faults.entries();
  const work = async (): Promise<void> => {
    for (const [i, fault] of waiting) each(fault, await recordUnder(fault, join(root, `run-${i}`)));
  };
  await Promise.all([work(), work(), work(), work()]);
}

/** What can go wrong at each kind of write of a run, at an early, a middle and a late one. */
export const callFaults: readonly Fault[] = [
  ...["ENOSPC", "EIO", "EINTR", "EDQUOT"].flatMap((error) =>
    [3, 20, 150].map((n): Fault => ({ kind: "call", inject: `pwrite64:error=${error}:when=${n}` })),
  ),
  { kind: "call", inject: "pwrite64:error=ENOSPC:when=20+" },
  { kind: "call", inject: "pwrite64:error=EINTR:when=12..40" },
  { kind: "call", inject: "pwrite64:retval=0:when=9" },
  { kind: "call", inject: "fdatasync:error=EIO:when=1" },
  { kind: "call", inject: "fdatasync:error=EIO:when=7" },
  { kind: "call", inject: "rename:error=ENOSPC:when=4" },
  { kind: "call", inject: "fsync:error=EIO:when=1" },
  ...[1, 9, 16, 40].map((kib): Fault => ({ kind: "size", kib })),
  { kind: "size", kib: 16, inject: "ftruncate:error=EIO" },
];
