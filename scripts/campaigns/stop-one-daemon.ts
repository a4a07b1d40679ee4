/**
 * Spreads a job over two Docker daemons and stops one of them in mid-job; later it is back. The trials it had must be tried again on the other, each
 * counted once. The second daemon is its own, the first the one of the machine. Needs root. `npx jiti scripts/campaigns/stop-one-daemon.ts`.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import type { BenchEvent } from "../../evals/bench/bench-events.ts";
import { campaign, type Scene, type Stage } from "./stage/campaign.ts";
import { jobFacts, listed } from "./stage/job-facts.ts";
import { leftInDocker, leftInFolder } from "./stage/left-overs.ts";
import { ownDockerd, type OwnDockerd } from "./stage/own-dockerd.ts";
import { startBench } from "./stage/start-bench.ts";
import { writeSuite } from "./stage/write-suite.ts";

const here = "/var/run/docker.sock";

await campaign(async function* (stage) {
  // Longer than what is waited below: the trial that is seen there still has its agent when its daemon is stopped.
  writeSuite(join(stage.folder, "tasks"), { one: "sleep 5; echo done > out.txt", two: "sleep 5; echo done > out.txt" });
  const image = "forge-base/debian:bookworm";
  const second = await ownDockerd(join(stage.folder, "second"), { name: "forge-second", subnet: "172.29.72", image });
  try {
    yield await scene(stage, second, "SIGTERM");
    yield await scene(stage, second, "SIGKILL");
  } finally {
    await second.remove();
  }
});

async function scene(stage: Stage, second: OwnDockerd, signal: "SIGTERM" | "SIGKILL"): Promise<Scene> {
  const { main, folder, temporary, random } = stage;
  let job = "";
  const there = new Docker({ socketPath: second.socket });
  const words = ["tasks", "--agent", "oracle", "--config", "bare", "--repeats", "6", "--jobs", "2", "--sandbox", "docker", "--out", signal];
  const hosts = ["--docker-host", `unix://${here}`, "--docker-host", `unix://${second.socket}`];
  let ended = false;
  const bench = startBench([...words, ...hosts], {
    main,
    cwd: folder,
    env: { TMPDIR: temporary },
    onEvent: (event: BenchEvent) => void (event.type === "job.start" && (job = event.job)),
  });
  void bench.ended.then(() => (ended = true));
  const runningThere = (): Promise<number> =>
    there.listContainers({ filters: { label: [`forge.job=${job}`] } }).then(
      (found) => found.length,
      () => 0,
    );
  for (let waited = 0; !ended && (job === "" || (await runningThere()) === 0) && waited < 240_000; waited += 200) await wait(200);
  await wait(random() * 2_000);
  const had = await runningThere();
  await second.end(signal);
  await wait(5_000);
  await second.start();
  const { code, stderr, events } = await bench.ended;
  const facts = jobFacts(join(folder, signal));
  const retried = events.filter(({ type }) => type === "trial.retry").length;
  return {
    done: `one of two daemons ended by ${signal} with ${had} containers, back after 5 s`,
    classes: listed(facts.classes),
    recovery: `${retried} attempts again, ${facts.result.recorded}/${facts.result.trials} trials, exit ${code}`,
    left: [...(await leftInDocker(job, here)), ...(await leftInDocker(job, second.socket)), ...leftInFolder(temporary)],
    problems: [
      ...facts.problems,
      ...(code === 0 ? [] : [`exit code ${code}: ${stderr.slice(-300)}`]),
      // Else nothing was shown: the daemon that was stopped took nothing away.
      ...(had > 0 ? [] : ["the daemon that was stopped had no container"]),
      ...(retried > 0 ? [] : ["no trial was tried again"]),
    ],
  };
}
