/**
 * Kills the process that records a run at random moments, and lets its system calls fail: what it had said was durable must be there, whole, replay
 * exactly and be recoverable. `npx jiti scripts/campaigns/fault-recording.ts [--kills 200] [--seed 1]`. Prints a table, each problem, and a JSON summary last; exit
 * code 1 where something did not hold. Needs strace.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../../harness/seeded-random.ts";
import { callFaults, recordUnderEach, type Fault, type FaultOutcome } from "./recording-faults.ts";

const { values } = parseArgs({ options: { kills: { type: "string", default: "200" }, seed: { type: "string", default: "1" } } });
const random = seededRandom(Number(values.seed));
const kills = Array.from({ length: Number(values.kills) }, (): Fault => ({ kind: "kill", afterMs: Math.floor(random() * 120) }));
const root = await mkdtemp(join(tmpdir(), "forge-faults-"));
const summary = { runs: 0, kills: kills.length, acknowledged: 0, found: 0, torn: 0, sealed: 0, problems: [] as string[] };

function add(fault: Fault, outcome: FaultOutcome): void {
  const name = fault.kind === "kill" ? `kill -9 after ${fault.afterMs} ms` : JSON.stringify(fault);
  const { acknowledged, found, torn, sealed, exitCode, problems } = outcome;
  process.stdout.write(
    `${name}: ${acknowledged} acknowledged, ${found} found, ${torn} bytes torn, ${sealed ? "sealed" : "not sealed"}, exit ${exitCode}\n`,
  );
  summary.runs++;
  summary.acknowledged += acknowledged;
  summary.found += found;
  if (torn > 0) summary.torn++;
  if (sealed) summary.sealed++;
  for (const problem of problems) summary.problems.push(`${name}: ${problem}`);
}

try {
  await recordUnderEach(callFaults, join(root, "calls"), add);
  await recordUnderEach(kills, join(root, "kills"), add);
  for (const problem of summary.problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(`${JSON.stringify(summary)}\n`);
  process.exitCode = summary.problems.length > 0 ? 1 : 0;
} finally {
  await rm(root, { recursive: true, force: true });
}
