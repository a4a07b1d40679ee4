/**
 * Takes containers away from a running bench in mid-trial, as a person or another program on the machine may: kill, remove, stop. Each such attempt must
 * be an infrastructure error and be tried again, and no trial may count twice. `npx jiti scripts/campaigns/kill-containers.ts [--seed 1]`.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import { campaign, type Scene, type Stage } from "./stage/campaign.ts";
import { jobFacts, listed } from "./stage/job-facts.ts";
import { leftInDocker, leftInFolder } from "./stage/left-overs.ts";
import { startBench } from "./stage/start-bench.ts";
import { writeSuite } from "./stage/write-suite.ts";

const ways = {
  "docker kill": (container: Docker.Container) => container.kill(),
  "docker rm -f": (container: Docker.Container) => container.remove({ force: true }),
  "docker stop": (container: Docker.Container) => container.stop({ t: 0 }),
};
/** Fewer than would take all three attempts from one trial. */
const times = 4;

await campaign(async function* (stage) {
  writeSuite(join(stage.folder, "tasks"), { one: "sleep 3; echo done > out.txt", two: "sleep 2; echo done > out.txt" });
  for (const [name, way] of Object.entries(ways)) yield await scene(stage, name, way);
});

async function scene(stage: Stage, name: string, way: (container: Docker.Container) => Promise<unknown>): Promise<Scene> {
  const { main, folder, temporary, random } = stage;
  const docker = new Docker();
  const out = name.replaceAll(/[^a-z]+/g, "-");
  let job = "";
  let done = 0;
  let ended = false;
  const taken = new Set<string>();
  const bench = startBench(
    ["tasks", "--agent", "oracle", "--config", "bare", "--repeats", "4", "--jobs", "2", "--sandbox", "docker", "--out", out],
    {
      main,
      cwd: folder,
      env: { TMPDIR: temporary },
      onEvent: (event) => void (event.type === "job.start" && (job = event.job)),
    },
  );
  void bench.ended.then(() => (ended = true));
  while (!ended && done < times) {
    await wait(1_500 + random() * 2_000);
    if (job === "") continue;
    const running = await docker.listContainers({ filters: { label: [`forge.job=${job}`] } });
    // One trial loses at most one container: three would be all its attempts.
    const fresh = running.filter(({ Labels: labels }) => !taken.has((labels["forge.trial"] ?? "").replace(/\/\d+$/, "")));
    const chosen = fresh[Math.floor(random() * fresh.length)];
    if (!chosen) continue;
    taken.add((chosen.Labels["forge.trial"] ?? "").replace(/\/\d+$/, ""));
    await way(docker.getContainer(chosen.Id)).then(
      () => (done += 1),
      () => undefined, // it had just ended by itself
    );
  }
  const { code, stderr, events } = await bench.ended;
  const facts = jobFacts(join(folder, out));
  const retried = events.filter(({ type }) => type === "trial.retry").length;
  return {
    done: `${name} of ${done} containers in mid-trial`,
    classes: listed(facts.classes),
    recovery: `${retried} attempts again, ${facts.result.recorded}/${facts.result.trials} trials, exit ${code}`,
    left: [...(await leftInDocker(job)), ...leftInFolder(temporary)],
    problems: [
      ...facts.problems,
      ...(code === 0 ? [] : [`exit code ${code}: ${stderr.slice(-300)}`]),
      ...(done === 0 ? ["nothing was done"] : []),
    ],
  };
}
