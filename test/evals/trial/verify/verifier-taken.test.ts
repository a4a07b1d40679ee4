import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Docker from "dockerode";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import { OutsideError } from "../../../../evals/trial/evidence/evidence.ts";
import { createSuiteMemory } from "../../../../evals/trial/trial-plan.ts";
import { verifyUntouched } from "../../../../evals/trial/verify/verify-fresh.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import { DockerSandbox } from "../../../../harness/sandbox/docker/container/docker-sandbox.ts";
import { withSandboxes } from "../../../../scripts/bench/with-sandboxes.ts";
import { loadTask } from "../../../../tasks/formats/load-task.ts";
import { needs } from "../../../needs.ts";
import { benchPorts, checkOut, fixtureRequest, fixtureTask, removeScratch, scratch } from "../../bench-fixture.ts";
import { untilLetGo, whileEnding } from "../../while-ending.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(needs("docker"))("a verifier's container that is taken away", () => {
  it("is never the agent's failure, though the agent's own container has ended too", async () => {
    const name = `verifier-taken-${process.pid}`;
    const root = join(await scratch(), name);
    const files = {
      "task.toml": `artifacts = ["/app/out"]\n[verifier]\nenvironment_mode = "separate"\n`,
      "instruction.md": "Do it.\n",
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
      "solution/solve.sh": "echo done > out; (sleep 3; kill -TERM 1) >/dev/null 2>&1 &\n",
      "tests/test.sh": `#!/bin/bash\n[ "$(cat /app/out)" = done ] && echo 1 > /logs/verifier/reward.txt\n`,
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const docker = new Docker();
    const first: DockerSandbox[] = [];
    // The second container of the first attempt is the verifier's: it goes before anything runs there, and after the agent's.
    const ports = withSandboxes(await benchPorts(), (sandbox, trial) => {
      if (!trial.endsWith("/plain/1/1") || !(sandbox instanceof DockerSandbox)) return sandbox;
      first.push(sandbox);
      const [agents] = first;
      if (!agents || first.length !== 2) return sandbox;
      const exec = sandbox.exec.bind(sandbox);
      let gone: Promise<unknown> | undefined;
      const takeAway = async (): Promise<void> => {
        while ((await agents.evidence()).state === "running") await wait(200);
        await docker.getContainer(sandbox.id).kill();
      };
      return Object.assign(sandbox, { exec: (...of: Parameters<typeof exec>) => (gone ??= takeAway()).then(() => exec(...of)) });
    });
    const retries: string[] = [];
    const stop = new AbortController(); // its own container would end in the next attempt too
    const result = await bench(await fixtureRequest([await loadTask(root)], { sandbox: "docker", jobs: 1 }), ports, {
      stop: stop.signal,
      onEvent(event) {
        if (event.type !== "trial.retry") return;
        retries.push(event.class);
        stop.abort();
      },
    });
    expect(retries).toEqual(["infra"]);
    expect(result).toMatchObject({ status: "stopped", recorded: 0 });
  });

  it("and had no agent's work in it, says nothing of an agent who could have made it look so", async () => {
    const name = `untouched-taken-${process.pid}`;
    const task = await fixtureTask({ name, test: `${untilLetGo("tests")}\n${checkOut}` });
    const prepared = await createDockerProvider().prepare({ name, folder: task.environment.folder ?? "" });
    const setting = { prepared, job: name, attempt: 1, memory: createSuiteMemory(), folder: await scratch() };
    const verify = () => verifyUntouched({ task, configuration: "plain", repeat: 1 }, { ...setting, signal: new AbortController().signal });
    const { measured: thrown } = await whileEnding(name, () => verify().catch((error: unknown) => error), {
      when: () => "tests",
      async end(container) {
        const { State } = await container.inspect();
        if (State.Pid > 0) process.kill(State.Pid, "SIGKILL"); // a signal to 0 would be one to our own group
      },
    });
    expect(thrown, JSON.stringify(thrown)).toBeInstanceOf(OutsideError);
    expect(thrown).toMatchObject({ fault: { kind: "daemon", event: "die" } });
    expect(thrown).not.toMatchObject({ fault: { unseen: true } });
  });
});
