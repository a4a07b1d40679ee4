import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventfulModel } from "../../../test/servers/eventful-model.ts";
import { startStrictProviders, type StrictProviders } from "../../../test/servers/strict/strict-providers.ts";
import { type EndedBench, startBench } from "../stage/start-bench.ts";
import { type Case, configurationOf, deniedFile, type Found, listen } from "./case.ts";

/**
 * Plays each group of cases as one `forge bench` of the demo task, in a process of the given build. The first job of a group is killed after its first trial
 * and resumed. Of a job that a refusal ended each refused configuration is played again alone, and the rest together.
 */
export async function benchCases(
  groups: readonly (readonly Case[])[],
  o: { readonly main: string; readonly lanes?: number; readonly onFound?: (found: readonly Found[]) => void },
): Promise<Found[]> {
  const folder = mkdtempSync(join(tmpdir(), "forge-strict-"));
  const heard = listen();
  const server = await startStrictProviders(eventfulModel(), heard.hear);
  const found: Found[] = [];
  const left = groups.map((cases, index) => ({ cases, place: join(folder, String(index)) }));
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const verdicts = await benchGroup(next.cases, { main: o.main, server, place: next.place, of: heard.of });
      found.push(...verdicts);
      o.onFound?.(verdicts);
      rmSync(next.place, { recursive: true, force: true });
    }
  };
  try {
    await Promise.all(Array.from({ length: o.lanes ?? 2 }, lane));
    return found;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Group {
  readonly main: string;
  readonly server: StrictProviders;
  /** Made here: configurations and jobs. */
  readonly place: string;
  readonly of: ReturnType<typeof listen>["of"];
}

async function benchGroup(cases: readonly Case[], o: Group): Promise<Found[]> {
  mkdirSync(o.place, { recursive: true });
  writeFileSync(join(o.place, "denied.ts"), deniedFile);
  for (const [index, one] of cases.entries()) writeFileSync(join(o.place, `case-${index}.yaml`), configurationOf(one));
  const verdicts = new Map<number, Pick<Found, "solved" | "why">>();
  const jobs = [[...cases.keys()]];
  for (let job = 0, arms = jobs.shift(); arms; job++, arms = jobs.shift()) {
    const ended = await benchArms(arms, { ...o, job, kill: job === 0 });
    const why = ended.stderr.split("\n").findLast((line) => line.trim() !== "") ?? `exit code ${ended.code}`;
    const stopped = ended.result === undefined || ended.code === 2;
    if (stopped && arms.length > 1) {
      // One of those that were refused something ended the job; the others of them may go on without what was refused.
      const refused = arms.filter((arm) => o.of(cases[arm] as Case).refusals.length > 0); // an index of cases
      const rest = arms.filter((arm) => !refused.includes(arm));
      const apart = (refused.length > 0 ? refused : rest).map((arm) => [arm]);
      jobs.push(...apart, ...(refused.length > 0 && rest.length > 0 ? [rest] : []));
    } else for (const arm of arms) verdicts.set(arm, stopped ? { solved: false, why } : verdictOf(ended, arm, why));
  }
  return cases.map((one, index) => ({ ...one, ...o.of(one), ...(verdicts.get(index) ?? { solved: false }) }));
}

function verdictOf({ result }: EndedBench, arm: number, why: string): Pick<Found, "solved" | "why"> {
  const own = result?.configurations.find(({ configuration }) => configuration === `case-${arm}`);
  return own?.passed === 1 ? { solved: true } : { solved: false, why: own?.failed === 1 ? "not solved" : why };
}

async function benchArms(arms: readonly number[], o: Group & { readonly job: number; readonly kill: boolean }): Promise<EndedBench> {
  const configs = arms.flatMap((arm) => ["--config", `case-${arm}.yaml`]);
  const words = ["demo", "--filter", "greet", ...configs, "--sandbox", "local-unsafe", "--jobs", "2", "--yes", "--out", `job-${o.job}`];
  const at = { main: o.main, cwd: o.place, env: o.server.env };
  if (o.kill) {
    const bench = startBench(words, { ...at, onEvent: ({ type }) => type === "trial.end" && bench.kill("SIGKILL") });
    const killed = await bench.ended;
    if (killed.code !== null) return killed;
  }
  return startBench(words, at).ended;
}
