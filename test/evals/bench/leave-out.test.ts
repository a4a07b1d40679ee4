import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { BenchRequest } from "../../../evals/bench/bench-request.ts";
import { baseImage } from "../../../harness/sandbox/docker/image/base-image.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import type { Task } from "../../../tasks/task.ts";
import { needs } from "../../needs.ts";
import { writeFiles } from "../../tasks/write-task.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch, suiteOf } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 }); // real sandboxes on a machine that may be busy

/** What was left out, and how the job ended. */
async function run(tasks: Task[], change: Partial<BenchRequest>) {
  const events: BenchEvent[] = [];
  const result = await bench(await fixtureRequest(tasks, change), await benchPorts(), { onEvent: (event) => events.push(event) });
  const leftOut = events.flatMap((event) => (event.type === "task.left-out" ? [`${event.task}: ${event.reason}`] : []));
  return {
    leftOut,
    result,
    trials: result.trials,
    status: result.status,
    images: events.filter(({ type }) => type === "image.start").length,
  };
}
const refused = (name: string) => ({ name, folder: name, reason: `${name}/task.toml cannot be read.` });
const needsBuildKit = async (): Promise<Task> => {
  const { folder } = await fixtureTask({ name: "mounts" });
  await writeFile(join(folder, "environment/Dockerfile"), `FROM ${baseImage}\nRUN --mount=type=cache,target=/c true\n`);
  return loadTask(folder, { own: true });
};
async function inSteps(): Promise<Task> {
  const folder = await writeFiles(join(await scratch(), "by-steps"), {
    "task.toml": '[[steps]]\nname = "one"\n[metadata.forge]\nlocal = true\nverify = "live"\n',
    "environment/Dockerfile": `FROM ${baseImage}\nWORKDIR /app\n`,
    "steps/one/instruction.md": "Do it.\n",
    "steps/one/solution/solve.sh": "true\n",
    "steps/one/tests/test.sh": '#!/bin/bash\nlogs="${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"; echo 1 > "$logs/reward.txt"\n',
  });
  return loadTask(folder, { own: true });
}

describe("a task that cannot be run here", () => {
  it("is left out with its sentence before anything is built, and the others run", async () => {
    const good = await fixtureTask({ name: "good" });
    const hosts = await fixtureTask({ name: "guarded", limits: 'network_mode = "allowlist"\nallowed_hosts = ["a.example"]' });
    const live = await fixtureTask({ name: "live", forge: 'verify = "live"' });
    const talks = await fixtureTask({ name: "talks" });
    const other = { ...talks, agent: { ...talks.agent, network: { mode: "public" as const } } };
    const {
      leftOut,
      result: _,
      ...ended
    } = await run([await needsBuildKit(), good, hosts, live, other, await inSteps()], {
      mode: "hardened",
      sandbox: "local",
    });
    expect(ended).toEqual({ trials: 1, status: "finished", images: 1 });
    expect(leftOut.map((line) => line.replace(/\/\S+\//, ""))).toEqual([
      expect.stringMatching(
        /^by-steps: .*"live" is for a task of one step: .*; choose verify = "workdir" or "snapshot", or --mode official\.$/,
      ),
      expect.stringMatching(/^mounts: .*RUN --mount.*\.$/),
      "guarded: Task guarded has a network limited to a list of hosts, which makes it Docker-only; run it with --sandbox docker.",
      expect.stringMatching(/^live: .*"live" cannot be carried out here; choose --sandbox docker, or verify = "workdir"\.$/),
      expect.stringMatching(/^talks: .*needs containers; run it with --sandbox docker\.$/),
    ]);
  });

  it("is left out where its solution links out of its folder, or the simulated model has no plan of it", async () => {
    const linked = await fixtureTask({ name: "linked" });
    await symlink("../environment/app", join(linked.folder, "solution", "data"));
    const solved = await run([linked, await fixtureTask({ name: "good" })], {});
    expect(solved.leftOut).toEqual([
      expect.stringMatching(
        /^linked: .*solution\/data is a link to \.\.\/environment\/app, outside its folder; .* Put the file itself there\.$/,
      ),
    ]);
    expect(solved.status).toBe("finished");
    const plan = {
      steps: [{ calls: [{ tool: "bash", args: { command: "echo done > out.txt" } }], check: true }],
      answer: "Done.",
      claims: [],
    };
    const played = await run([await fixtureTask({ name: "unplanned" }), { ...(await fixtureTask({ name: "planned" })), plan }], {
      agent: "configured",
    });
    expect(played.leftOut).toEqual([
      expect.stringMatching(/^unplanned: .* has no solution\/plan\.yaml, so the simulated model cannot play it; /),
    ]);
    expect(played.result).toMatchObject({ status: "finished", tasks: ["planned"] });
  });

  it("is left out in hardened mode where its places cannot be carried into verification, and is official all the same", async () => {
    const places = await fixtureTask({ name: "places", forge: 'paths = ["/app", "/"]' });
    const whole = await fixtureTask({ name: "whole" });
    const rooted = { ...whole, environment: { ...whole.environment, workdir: "/" } };
    const { leftOut, trials } = await run([places, rooted, await fixtureTask({ name: "good" })], { mode: "hardened", sandbox: "local" });
    expect(leftOut.map((line) => line.replace(/\/\S+\/(places|whole)/, ""))).toEqual([
      expect.stringMatching(/^places: .*metadata.forge.paths: "\/" cannot be carried into verification; .*\.$/),
      expect.stringMatching(/^whole: .*the working directory is \/, .*; give the Dockerfile a WORKDIR .* or choose --mode official\.$/),
    ]);
    expect(trials).toBe(1);
    expect((await run([places], { mode: "official", sandbox: "local" })).leftOut).toEqual([]);
  });

  it("is told alike where it could not even be loaded: in the journal, to whoever listens, and in the result", async () => {
    const suite = { ...suiteOf(await fixtureTask({ name: "good" })), refused: [refused("broken"), refused("unasked")] };
    const { leftOut, result } = await run([], { suite, filter: "{good,broken}", sandbox: "local" });
    expect(leftOut).toEqual(["broken: broken/task.toml cannot be read."]);
    expect(result).toMatchObject({ tasks: ["good"], leftOut: [{ task: "broken", reason: "broken/task.toml cannot be read." }] });
    expect(JSON.parse(await readFile(join(result.folder, "result.json"), "utf8"))).toEqual(result);
    const journal = await readFile(join(result.folder, "journal.jsonl"), "utf8");
    expect(journal.match(/"t":"task.left-out".*"task":"\w+"/g)).toEqual([expect.stringContaining('"broken"')]);
  });

  it("ends the job where there is no other, in the same words", async () => {
    await expect(run([await inSteps()], { mode: "hardened", sandbox: "local" })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('"live" is for a task of one step'),
    });
    expect(await run([await inSteps()], { mode: "official", sandbox: "local" })).toMatchObject({ leftOut: [], status: "finished" });
  });

  it("is told where a job that has trials of it is to go on", async () => {
    const [good, other] = [await fixtureTask({ name: "good" }), await fixtureTask({ name: "other" })];
    const request = await fixtureRequest([good, other], { sandbox: "local" });
    const { folder } = await bench(request, await benchPorts());
    const now = { ...other, agent: { ...other.agent, network: { mode: "public" as const } } };
    const again = bench(await fixtureRequest([good, now], { sandbox: "local", out: folder }), await benchPorts());
    await expect(again).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/has trials of task other, which cannot be run here now, .*--sandbox docker\.$/),
    });
  });

  it("is told where it cannot be loaded any more, also when its name cannot be read", async () => {
    const [good, other] = [await fixtureTask({ name: "good" }), await fixtureTask({ name: "other" })];
    const { folder } = await bench(await fixtureRequest([good, other], { sandbox: "local" }), await benchPorts());
    const again = async (name: string) => {
      const suite = { ...suiteOf(good), refused: [refused(name)] };
      return bench(await fixtureRequest([], { suite, sandbox: "local", out: folder }), await benchPorts());
    };
    await expect(again("other")).rejects.toThrow(
      /has trials of task other, which cannot be run here now, .*other\/task\.toml cannot be read\.$/,
    );
    await expect(again("folder")).rejects.toThrow(
      /holds more than can be run here now: task other\. .* folder was left out: folder\/task\.toml cannot be read\.$/,
    );
  });

  it.skipIf(needs("docker"))("is one whose image only BuildKit builds, where that is not there", async () => {
    const { HOME, PATH } = process.env;
    const nowhere = await scratch();
    Object.assign(process.env, { HOME: nowhere, PATH: nowhere });
    try {
      await expect(run([await needsBuildKit()], { sandbox: "docker" })).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/mounts\/environment\/Dockerfile:2: RUN --mount needs `docker buildx`, which is not here; install/),
      });
    } finally {
      Object.assign(process.env, { HOME, PATH });
    }
  });
});
