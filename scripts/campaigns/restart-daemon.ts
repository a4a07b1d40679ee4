/**
 * Restarts a Docker daemon in mid-job, once by SIGTERM and once by SIGKILL, and lets it be away for a while: the job must finish, every trial counted
 * once, the attempts that were lost tried again. The daemon is a second one of its own. Needs root. `npx jiti scripts/campaigns/restart-daemon.ts`.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { campaign, type Scene, type Stage } from "./stage/campaign.ts";
import { jobFacts, listed } from "./stage/job-facts.ts";
import { leftInDocker, leftInFolder } from "./stage/left-overs.ts";
import { ownDockerd, type OwnDockerd } from "./stage/own-dockerd.ts";
import { startBench } from "./stage/start-bench.ts";
import { writeSuite } from "./stage/write-suite.ts";

await campaign(async function* (stage) {
  writeSuite(join(stage.folder, "tasks"), { one: "sleep 4; echo done > out.txt", two: "sleep 3; echo done > out.txt" });
  const daemon = await ownDockerd(join(stage.folder, "dockerd"), {
    name: "forge-restart",
    subnet: "172.29.71",
    image: "forge-base/debian:bookworm",
  });
  try {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) yield await scene(stage, daemon, signal);
  } finally {
    await daemon.remove();
  }
});

async function scene(stage: Stage, daemon: OwnDockerd, signal: "SIGTERM" | "SIGKILL"): Promise<Scene> {
  const { main, folder, temporary, random, say } = stage;
  let job = "";
  let steps = 0;
  const words = ["tasks", "--agent", "oracle", "--config", "bare", "--repeats", "4", "--jobs", "2", "--sandbox", "docker", "--out", signal];
  const o = {
    main,
    cwd: folder,
    env: { TMPDIR: temporary, DOCKER_HOST: `unix://${daemon.socket}` },
    onEvent(event: { type: string; job?: string }) {
      if (event.type === "job.start") job = event.job ?? "";
      if (event.type === "trial.step") steps += 1;
    },
  };
  const bench = startBench(words, o);
  let runs = 1;
  await Promise.race([bench.ended, until(() => steps >= 2)]);
  await wait(random() * 1_500); // in mid-trial
  await daemon.end(signal);
  const awayMs = 2_000;
  await wait(awayMs);
  await daemon.start();
  let ended = await bench.ended;
  say(`${signal}: the bench ended with ${ended.code} ${ended.stderr.slice(-300)}`);
  const first = ended.code;
  const retried = ended.events.filter(({ type }) => type === "trial.retry").length;
  while (ended.code !== 0 && runs < 3) {
    runs += 1;
    ended = await startBench(words, o).ended;
  }
  const facts = jobFacts(join(folder, signal));
  return {
    done: `dockerd ended by ${signal}, back after ${awayMs / 1000} s`,
    classes: listed(facts.classes),
    recovery: `${retried} attempts again, ${facts.result.recorded}/${facts.result.trials} trials, exit ${first}${runs > 1 ? `, then ${ended.code} after ${runs - 1} times the same command` : ""}`,
    left: [...(await leftInDocker(job, daemon.socket)), ...leftInFolder(temporary)],
    problems: [...facts.problems, ...(retried === 0 ? ["no attempt was lost"] : [])],
  };
}

async function until(holds: () => boolean): Promise<undefined> {
  for (let waited = 0; !holds() && waited < 240_000; waited += 100) await wait(100);
  return undefined;
}
