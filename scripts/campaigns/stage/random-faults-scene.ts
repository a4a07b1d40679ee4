import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { Scene, Stage } from "./campaign.ts";
import { jobFacts, listed } from "./job-facts.ts";
import { leftInDocker, leftInFolder } from "./left-overs.ts";
import { startBench, type StartedBench } from "./start-bench.ts";
import { writeSuite } from "./write-suite.ts";

const docker = new Docker();
/** With two configurations, 200 trials. */
const tasks = 10;
const repeats = 10;

export interface FaultPlan {
  /** So many things go wrong, over all runs of the command. */
  readonly faults: number;
  /** Between two of them, at least and at most. */
  readonly pauseMs: readonly [number, number];
}

/** What goes wrong, each as often as it stands here. Pausing is not among it: an old engine can hold a container paused in a wrong moment locked for ever. */
const kinds = ["kill", "kill", "kill", "remove", "remove", "stop", "stop", "runner SIGKILL", "runner SIGINT"] as const;
type Fault = (typeof kinds)[number];

interface Seen {
  job: string;
  /** Results published, over all runs: a trial that counts twice is here twice. */
  readonly published: string[];
  readonly done: Map<string, number>;
  readonly openFiles: { first: number; last: number; most: number };
  readonly memoryMb: { first: number; last: number; most: number };
  runs: number;
}

/**
 * 200 trials in containers while random things go wrong: containers are killed, removed and stopped, the runner gets SIGKILL and SIGINT. Each
 * time it ends, the same command goes on. At the end every trial must count once, and nothing be left: no container, network, volume, snapshot or
 * temporary file, and in the runner no open file more than at its begin.
 */
export async function randomFaults(stage: Stage, plan: FaultPlan): Promise<Scene> {
  const names = Array.from({ length: tasks }, (_, i) => [`task-${i}`, `sleep 0.${i}; echo done > out.txt`] as const);
  writeSuite(join(stage.folder, "tasks"), Object.fromEntries(names));
  const seen: Seen = {
    job: "",
    published: [],
    done: new Map(),
    openFiles: { first: 0, last: 0, most: 0 },
    memoryMb: { first: 0, last: 0, most: 0 },
    runs: 0,
  };
  let code: number | null = null;
  let stderr = "";
  // Faults are bounded, so the job comes to its end; further runs of the command are for trials that lost all their attempts.
  while (code !== 0 && seen.runs < plan.faults) {
    seen.runs += 1;
    const bench = start(stage, seen);
    const faulty = makeFaults(stage, seen, bench, plan);
    ({ code, stderr } = await bench.ended);
    await faulty;
    stage.say(`run ${seen.runs}: ended with ${code}; ${new Set(seen.published).size} trials published, ${listed(seen.done)}`);
    if (code === 2 || code === 4) break;
  }
  const facts = jobFacts(join(stage.folder, "job"));
  const twice = seen.published.length - new Set(seen.published).size;
  const { openFiles: open, memoryMb: memory } = seen;
  return {
    done: listed(seen.done),
    classes: listed(facts.classes),
    recovery: `${seen.runs} runs of the command, ${facts.brokenOff} attempts broken off, ${facts.result.recorded}/${facts.result.trials} trials; open files ${open.first} → ${open.last} (most ${open.most}), memory ${memory.first} → ${memory.last} MB (most ${memory.most})`,
    left: [...(await leftInDocker(seen.job)), ...leftInFolder(stage.temporary)],
    problems: [
      ...facts.problems,
      ...(code === 0 ? [] : [`exit code ${code}: ${stderr.slice(-300)}`]),
      ...(twice > 0 ? [`${twice} trials were published twice`] : []),
      // Every solution is right: what is not passed in the end was scored for something its agent did not do.
      ...facts.result.configurations.flatMap(({ configuration, passed, failed }) =>
        failed > 0 ? [`${failed} of ${passed + failed} trials of ${configuration} were failed for a fault that is not theirs`] : [],
      ),
      ...(open.last > open.first + 10 ? ["open files grow"] : []),
    ],
  };
}

function start({ main, folder, temporary }: Stage, seen: Seen): StartedBench {
  let ended = 0;
  const words = ["tasks", "--agent", "oracle", "--config", "bare", "--config", "standard", "--repeats", `${repeats}`, "--jobs", "4"];
  const bench = startBench([...words, "--sandbox", "docker", "--out", "job"], {
    main,
    cwd: folder,
    env: { TMPDIR: temporary },
    onEvent(event: BenchEvent) {
      if (event.type === "job.start") seen.job = event.job;
      if (event.type !== "trial.end") return;
      ended += 1;
      const { task, configuration, repeat } = event.trial;
      // One without a score is published too, and tried again by the next run of the command.
      if (event.record.passed !== null) seen.published.push(`${task} ${configuration} ${repeat}`);
      look(seen, bench.pid, ended);
    },
  });
  return bench;
}

/** The runner's open files and memory, from its fifth trial on. */
function look({ openFiles, memoryMb }: Seen, pid: number, ended: number): void {
  if (ended < 5) return;
  try {
    note(openFiles, readdirSync(`/proc/${pid}/fd`).length, ended === 5);
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    note(memoryMb, Math.round(Number(kib) / 1024), ended === 5);
  } catch {
    // it has just ended
  }
}
function note(numbers: { first: number; last: number; most: number }, now: number, first: boolean): void {
  if (first && numbers.first === 0) numbers.first = now;
  numbers.last = now;
  numbers.most = Math.max(numbers.most, now);
}

async function makeFaults(
  { random }: Stage,
  seen: Seen,
  bench: StartedBench,
  { faults, pauseMs: [least, most] }: FaultPlan,
): Promise<void> {
  let ended = false;
  const end = bench.ended.then(() => (ended = true));
  const total = (): number => [...seen.done.values()].reduce((sum, count) => sum + count, 0);
  while (!ended && total() < faults) {
    await Promise.race([end, wait(least + random() * (most - least))]);
    if (ended) return;
    const kind = kinds[Math.floor(random() * kinds.length)] ?? "kill";
    if (await doFault(kind, seen.job, bench, random)) seen.done.set(kind, (seen.done.get(kind) ?? 0) + 1);
  }
}

/** False where there was nothing to do it to. */
async function doFault(kind: Fault, job: string, bench: StartedBench, random: () => number): Promise<boolean> {
  if (kind === "runner SIGKILL" || kind === "runner SIGINT") {
    bench.kill(kind === "runner SIGKILL" ? "SIGKILL" : "SIGINT");
    await bench.ended;
    return true;
  }
  if (job === "") return false;
  const running = await docker.listContainers({ filters: { label: [`forge.job=${job}`] } });
  const chosen = running[Math.floor(random() * running.length)];
  if (!chosen) return false;
  const container = docker.getContainer(chosen.Id);
  try {
    if (kind === "kill") await container.kill();
    else if (kind === "remove") await container.remove({ force: true });
    else await container.stop({ t: 0 });
    return true;
  } catch {
    return false; // it had just ended by itself
  }
}
