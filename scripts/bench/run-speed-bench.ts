import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../../harness/errors.ts";
import { describeMeasures } from "./describe-measures.ts";
import { verdictOf, type Measure } from "./measure.ts";
import { measureAgents } from "./measures/measure-agents.ts";
import { measureAnalyze } from "./measures/measure-analyze.ts";
import { measureCompare } from "./measures/measure-compare.ts";
import { measureFaults } from "./measures/measure-faults.ts";
import { measureCommands } from "./measures/measure-commands.ts";
import { measureJobs } from "./measures/measure-jobs.ts";
import { measureLoop } from "./measures/measure-loop.ts";
import { measureRecording } from "./measures/measure-recording.ts";
import { measureTraces } from "./measures/measure-traces.ts";
import { measureTrials } from "./measures/measure-trials.ts";
import { measureViewer } from "./measures/measure-viewer.ts";
import { measureStatistics } from "./statistics/measure-statistics.ts";

const parts = ["commands", "loop", "traces", "analyze", "compare", "viewer", "trials", "agents", "jobs", "statistics", "faults"] as const;

const usage = `npm run bench -- [--json] [PART...]

Measures what Forge itself costs, held to its ceilings. Parts: ${parts.join(", ")}; none for all.

  npm run bench                    all of it, some twenty minutes on a quiet machine
  npm run bench -- jobs trials     these two`;

/** Measures, prints and answers the exit code: 1 when something is over its ceiling. Progress goes to standard error. */
export async function runSpeedBench(
  args: string[],
  o: { root: string; withoutDocker: { reason: string; cure: string } | undefined },
): Promise<number> {
  const asked = read(args);
  if (typeof asked === "string") {
    process.stderr.write(`${asked}\nnpm run bench -- --help says what there is.\n`);
    return 2;
  }
  const { values, positionals } = asked;
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const unknown = positionals.find((name) => !parts.some((part) => part === name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no measurement "${unknown}"; name some of ${parts.join(", ")}, or none for all.\n`);
    return 2;
  }
  const wanted = (part: (typeof parts)[number]): boolean => positionals.length === 0 || positionals.includes(part);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const folder = await mkdtemp(join(tmpdir(), "forge-speed-"));
  const load = loadavg()[0] ?? 0;
  try {
    const speeds: Measure[] = [
      ...(wanted("commands") ? measureCommands(o.root, say) : []),
      ...(wanted("loop") ? [...(await measureLoop(folder, say)), ...(await measureRecording(folder, say))] : []),
      ...(wanted("traces") ? await measureTraces(o.root, folder, say) : []),
      ...(wanted("analyze") ? await measureAnalyze(o.root, folder, say) : []),
      ...(wanted("compare") ? await measureCompare(o.root, folder, say) : []),
      ...(wanted("viewer") ? await measureViewer(o.root, folder, say) : []),
      ...(wanted("jobs") ? await measureJobs(o.root, folder, say) : []),
      ...(wanted("trials") ? await measureTrials(o.root, folder, say, o.withoutDocker) : []),
      ...(wanted("agents") ? await measureAgents(o.root, folder, say, o.withoutDocker) : []),
      ...(wanted("faults")
        ? await measureFaults(o.root, folder, say, { asked: positionals.includes("faults"), withoutDocker: o.withoutDocker })
        : []),
    ];
    const statistics = wanted("statistics") ? measureStatistics(o.root, say) : undefined;
    const measures = [...speeds, ...(statistics?.measures ?? [])];
    const machine = { node: process.versions.node, platform: process.platform, cores: availableParallelism(), load };
    const results = measures.map((measure) => ({ ...measure, verdict: verdictOf(measure) }));
    process.stdout.write(values.json ? `${JSON.stringify({ machine, measures: results })}\n` : describeMeasures(machine, measures));
    if (statistics && !values.json) process.stdout.write(`\n${statistics.tables}\n`);
    return results.some(({ verdict }) => verdict === "over") ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Or what is wrong with them. */
function read(args: string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options: { json: flag, help: { ...flag, short: "h" } } });
  } catch (error) {
    return messageOf(error);
  }
}
