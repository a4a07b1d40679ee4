/**
 * Sends a bench every kind of hostile or broken reply, over each wire, kills it in the middle and resumes it. Every trial must have its class, the job must
 * go on, every run must replay exactly, and every command that reads runs must read these. Build first (`npm run build`), then
 * `npx jiti scripts/campaigns/hostile-replies.ts [--seeds 3] [--wire openai] [--sandbox local-unsafe]`. Prints a table after each job, of all until then; exit
 * code 1 where something did not hold.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { plainTable } from "../../reports/text/lay-table.ts";
import { type HostileKind, hostileKinds } from "../../test/servers/hostile-reply.ts";
import { everyReader, hostileBench } from "./hostile-bench.ts";
import { listed } from "./stage/job-facts.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "3" }, wire: { type: "string" }, sandbox: { type: "string", default: "local-unsafe" } },
});
const wires = (["openai", "anthropic", "text"] as const).filter((wire) => values.wire === undefined || wire === values.wire);
const main = join(dirname(fileURLToPath(import.meta.url)), "../../dist/cli/main.js");
const kinds = Object.keys(hostileKinds) as HostileKind[];
const seen = new Map<string, Map<string, number>>();
const problems: string[] = [];
for (let seed = 1; seed <= Number(values.seeds); seed++)
  for (const wire of wires) {
    const folder = await mkdtemp(join(tmpdir(), "forge-hostile-"));
    try {
      const found = await hostileBench({ main, folder, wire, seed, kinds, sandbox: values.sandbox, readers: everyReader });
      for (const { kind, how, class: as } of found.classes) {
        const counts = seen.get(`${kind} ${how}`) ?? new Map<string, number>();
        seen.set(`${kind} ${how}`, counts.set(as, (counts.get(as) ?? 0) + 1));
      }
      problems.push(...found.problems.map((problem) => `${wire}, seed ${seed}: ${problem}`));
      process.stdout.write(`${table()}\n`);
      process.stderr.write(
        `${wire}, seed ${seed}: ${found.beforeKill} trials before the kill; ${found.replay}; ${found.problems.join("; ") || "holds"}\n`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
process.exitCode = problems.length > 0 ? 1 : 0;

function table(): string {
  const said = (kind: HostileKind, how: string): string => listed(seen.get(`${kind} ${how}`) ?? new Map<string, number>());
  const rows = kinds.map((kind) => [kind, said(kind, "once"), said(kind, "always")]);
  return plainTable(["what the model sends", "once, then it works", "always"], rows, { left: true, most: Infinity });
}
