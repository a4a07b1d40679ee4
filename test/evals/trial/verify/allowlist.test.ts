import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import type { BenchPorts } from "../../../../evals/bench-ports.ts";
import { trialRecordSchema, type TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { connect, connectionFromEnvironment } from "../../../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import { thisOwner } from "../../../../harness/sandbox/owner.ts";
import { loadTask } from "../../../../tasks/formats/load-task.ts";
import { needs, sampled } from "../../../needs.ts";
import { startInternet, type Internet } from "../../../harness/sandbox/docker/gateway/start-internet.ts";
import { writeFiles } from "../../../tasks/write-task.ts";
import { benchPorts, fixtureRequest, removeScratch, scratch } from "../../bench-fixture.ts";
import { letGo, untilLetGo, whileEnding } from "../../while-ending.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 }); // several containers a test, on a machine that may be busy

/** A shell function that says whether a page can be had. */
const reaches = `reaches() { python3 -c 'import sys, urllib.request as r; print(r.urlopen("http://" + sys.argv[1] + "/", timeout=100).read().decode())' "$1" 2>/dev/null || echo no; }\n`;
const limited = (host: string): string => `network_mode = "allowlist"\nallowed_hosts = ["${host}"]\n`;

describe.skipIf(needs("docker"))("a task whose network is limited to a list of hosts", { concurrent: true }, () => {
  const docker = connect(connectionFromEnvironment());
  let internet: Internet | undefined;
  let ports: BenchPorts;

  beforeAll(async () => {
    internet = await startInternet(docker, (one, two) => ({ "one.example": one, "other.example": two }));
    const provider = createDockerProvider({ dns: internet.addresses.slice(0, 1) });
    ports = { ...(await benchPorts()), provider: () => provider };
  });
  afterAll(async () => {
    await internet?.close();
    await removeScratch();
  });

  async function run(
    name: string,
    files: Readonly<Record<string, string>>,
  ): Promise<{ record: TrialRecord; retries: string[]; folder: string }> {
    const root = await writeFiles(join(await scratch(), name), {
      "instruction.md": "Do it.\n",
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
      ...files,
    });
    const retries: string[] = [];
    const result = await bench(await fixtureRequest([await loadTask(root)], { sandbox: "docker" }), ports, {
      retryMs: 1,
      onEvent: (event) => void (event.type === "trial.retry" && retries.push(event.class)),
    });
    expect(await docker.listContainers({ all: true, filters: { label: [`forge.job=${result.job}`] } })).toEqual([]);
    const place = join(result.folder, "trials", name, "plain", "1");
    return { record: trialRecordSchema.parse(JSON.parse(await readFile(join(place, "result.json"), "utf8"))), retries, folder: place };
  }
  /** Passes where the agent reached the first and the verifier the second host, and neither the other's. */
  const phases = {
    "solution/solve.sh": `${reaches}{ reaches one.example; reaches other.example; } > /app/out.txt\n`,
    "tests/test.sh": `#!/bin/bash\n${reaches}seen="$(cat /app/out.txt) $(reaches one.example) $(reaches other.example)"\necho "$seen"
[ "$(echo $seen)" = "a page no no a page" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n`,
  };

  const modes = [
    ["official", ""],
    ["hardened", '[metadata.forge]\nfamily = "net"\nsplit = "train"\n'],
    ["hardened, of a snapshot", '[metadata.forge]\nfamily = "net"\nsplit = "train"\nverify = "snapshot"\n'],
  ] as const;
  it.each(sampled(modes, [modes[0], modes[1]]))("has each phase's own, %s", async (mode, forge) => {
    const toml = `${forge}[environment]\nnetwork_mode = "no-network"\n[agent]\n${limited("one.example")}[verifier]\n${limited("other.example")}`;
    const { record } = await run(`phases-${mode.replaceAll(/\W+/g, "-")}`, { ...phases, "task.toml": toml });
    expect(record).toMatchObject({ class: "passed", mode: mode.split(",")[0], attempt: 1 });
  });

  it("has the environment's, and the verifier's own environment that of its own", async () => {
    const toml = `artifacts = ["/app/out.txt"]\n[environment]\n${limited("one.example")}[verifier]\nenvironment_mode = "separate"\n[verifier.environment]\n${limited("other.example")}`;
    const { record } = await run("apart", { ...phases, "task.toml": toml });
    expect(record).toMatchObject({ class: "passed", attempt: 1 });
  });

  it("costs no agent its score where the gateway is killed: the attempt is the machinery's, and the next one passes", async () => {
    const name = "gateway-killed";
    const killGateway = async (): Promise<void> => {
      const label = [`forge.trial=${name}/plain/1/1`, `forge.owner=${thisOwner().process}`, "forge.gateway"];
      for (const { Id: id } of await docker.listContainers({ filters: { label } })) await docker.getContainer(id).kill();
    };
    const files = {
      "task.toml": `[environment]\n${limited("one.example")}`,
      "solution/solve.sh": `${untilLetGo("agent")}\necho done > /app/out.txt\n`,
      "tests/test.sh": "#!/bin/bash\n[ -e /app/out.txt ] && echo 1 > /logs/verifier/reward.txt\n",
    };
    const { measured } = await whileEnding(name, () => run(name, files), {
      when: (attempt) => (attempt === 1 ? "agent" : undefined),
      end: (container) => killGateway().then(() => letGo(container)), // the agent's own container lives on
    });
    const { record, retries, folder } = measured;
    expect(retries).toEqual(["infra"]);
    expect(record).toMatchObject({ class: "passed", attempt: 2 });
    const { evidence, score } = trialRecordSchema.parse(JSON.parse(await readFile(join(folder, "attempt-1/record.json"), "utf8")));
    expect(score).toBeNull();
    expect(evidence?.at(-1)).toMatchObject({
      kind: "daemon",
      says: "The gateway that held the container's network to its hosts ended, so that network was cut.",
      gateway: true,
      event: "kill",
    });
  });
});
