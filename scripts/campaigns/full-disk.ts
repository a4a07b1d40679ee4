/**
 * Lets the disk run full on which a job is written, a small memory file system: the bench must say so, end or wait without a torn job, and go on by the
 * same command, or by itself, when there is room. Needs root. `npx jiti scripts/campaigns/full-disk.ts [--sandbox bubblewrap]`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { BenchEvent } from "../../evals/bench/bench-events.ts";
import { campaign, type Scene, type Stage } from "./stage/campaign.ts";
import { jobFacts, listed } from "./stage/job-facts.ts";
import { leftInDocker, leftInFolder } from "./stage/left-overs.ts";
import { startBench, type EndedBench } from "./stage/start-bench.ts";
import { writeSuite } from "./stage/write-suite.ts";

await campaign(async function* (stage) {
  writeSuite(join(stage.folder, "tasks"), { one: "sleep 1; echo done > out.txt", two: "sleep 1; echo done > out.txt" });
  for (const way of ["before its begin", "in mid-job, all at once", "in mid-job, down to what is kept free"] as const)
    yield await scene(stage, way);
});

type Way = "before its begin" | "in mid-job, all at once" | "in mid-job, down to what is kept free";

async function scene(stage: Stage, way: Way): Promise<Scene> {
  const { folder, temporary, sandbox } = stage;
  const disk = join(folder, `disk-${way.length}`);
  const ballast = join(disk, "ballast");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", disk]);
  try {
    const early = way === "before its begin";
    if (early) fill(ballast, 0);
    let job = "";
    let filled = early;
    const pauses: string[] = [];
    const onEvent = (event: BenchEvent): void => {
      if (event.type === "job.start") job = event.job;
      if (event.type === "job.pause") pauses.push(event.reason);
      if (event.type !== "trial.end" || filled) return;
      filled = true;
      fill(ballast, way === "in mid-job, all at once" ? 0 : 200);
    };
    const first = run(stage, disk, onEvent);
    let over = false;
    first.finally(() => (over = true)).catch(() => undefined);
    // Waited for no longer than it lasts, or nothing would end the campaign.
    const ended = await Promise.race([first, waited(() => over || pauses.length > 0)]);
    if (ended === undefined) {
      await wait(2_000);
      rmSync(ballast, { force: true }); // goes on by itself
    }
    const { code, stderr } = await first;
    rmSync(ballast, { force: true });
    const said =
      pauses.length > 0 ? `paused ("${pauses[0] ?? ""}"), went on by itself, exit ${code}` : `exit ${code} ("${stderr.slice(0, 160)}")`;
    const again = code === 0 ? undefined : await run(stage, disk, onEvent);
    const facts = jobFacts(join(disk, "job"));
    return {
      done: `the job's disk full ${way}`,
      classes: listed(facts.classes),
      recovery: `${said}${again ? `; same command: exit ${again.code}` : ""}, ${facts.result.recorded}/${facts.result.trials} trials`,
      left: [...(sandbox === "docker" ? await leftInDocker(job) : []), ...leftInFolder(temporary)],
      problems: [
        ...facts.problems,
        ...(again && again.code !== 0 ? [`the same command ended with ${again.code}: ${again.stderr.slice(-200)}`] : []),
        ...(code !== 0 && code !== 3 && code !== 1 ? [`exit code ${code}`] : []),
        ...(existsSync(join(disk, "job", "result.json")) ? [] : ["no result"]),
      ],
    };
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
}

function run({ main, folder, temporary, sandbox }: Stage, disk: string, onEvent: (event: BenchEvent) => void): Promise<EndedBench> {
  const words = [
    "tasks",
    "--agent",
    "oracle",
    "--config",
    "bare",
    "--repeats",
    "4",
    "--jobs",
    "2",
    "--sandbox",
    sandbox,
    "--out",
    join(disk, "job"),
  ];
  return startBench(words, { main, cwd: folder, env: { TMPDIR: temporary }, onEvent }).ended;
}

/** Takes all but `keepKib` of a disk. */
function fill(path: string, keepKib: number): void {
  for (let mb = 8; mb > 0; mb--) {
    try {
      writeFileSync(path, Buffer.alloc(mb * 1024 * 1024));
      break;
    } catch {
      // less fits
    }
  }
  const piece = Buffer.alloc(4096);
  try {
    for (;;) writeFileSync(path, piece, { flag: "a" });
  } catch {
    // full
  }
  if (keepKib > 0) execFileSync("truncate", ["-s", `-${keepKib}K`, path]);
}

async function waited(holds: () => boolean): Promise<undefined> {
  while (!holds()) await wait(200);
  return undefined;
}
