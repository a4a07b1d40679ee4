import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bench } from "../../../evals/bench/bench.ts";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import type { Agent, BenchPorts } from "../../../evals/bench-ports.ts";
import { trialRecordSchema, type TrialRecord } from "../../../evals/trial/trial-record.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import { withSandboxes } from "../../../scripts/bench/with-sandboxes.ts";
import { connect, connectionFromEnvironment } from "../../../harness/sandbox/docker/daemon/connection.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import type { Task } from "../../../tasks/task.ts";
import { needs } from "../../needs.ts";
import { benchPorts, fixtureRequest, removeScratch, scratch } from "../bench-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 240_000 }); // several containers a test, on a machine that may be busy

const docker = connect(connectionFromEnvironment());
const base = "FROM forge-base/debian:bookworm\nWORKDIR /app\n";
const names = new Set<string>();

/** A task with these files, by path. */
async function taskOf(name: string, files: Readonly<Record<string, string>>): Promise<Task> {
  names.add(name);
  const root = join(await scratch(), name);
  const all = { "instruction.md": "Do it.\n", "environment/Dockerfile": base, ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return loadTask(root);
}
const recordIn = async (job: string, name: string): Promise<TrialRecord> =>
  trialRecordSchema.parse(JSON.parse(await readFile(join(job, "trials", name, "plain/1/result.json"), "utf8")));

async function run(
  name: string,
  files: Readonly<Record<string, string>>,
  agent: Agent = "oracle",
  { ports, sandbox = "docker" }: { readonly ports?: BenchPorts; readonly sandbox?: SandboxKind } = {},
): Promise<{ record: TrialRecord; folder: string; retries: readonly BenchEvent[] }> {
  const task = await taskOf(name, files);
  const request = await fixtureRequest([task], { agent, sandbox, ...(sandbox !== "docker" && { mode: "official" }) });
  const retries: BenchEvent[] = [];
  const onEvent = (event: BenchEvent): void => void (event.type === "trial.retry" && retries.push(event));
  const result = await bench(request, ports ?? (await benchPorts()), { retryMs: 1, onEvent });
  const record = await recordIn(result.folder, name);
  return { record, folder: join(result.folder, record.trace), retries };
}
const json = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));
const test = (check: string) => `#!/bin/bash\nif ${check}; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n`;

afterAll(async () => {
  for (const name of names) {
    for (const { Id } of await docker.listContainers({ all: true, filters: { label: [`forge.trial=${name}/plain/1/1`] } }))
      throw new Error(`left: ${Id}`);
    for (const { RepoTags: tags } of await docker.listImages({ filters: { reference: [`forge-task/${name}*`] } }))
      for (const tag of tags?.filter((one) => one.startsWith(`forge-task/${name}`)) ?? []) await docker.getImage(tag).remove();
  }
});

describe.skipIf(needs("docker"))("a task that asks for more than one sandbox of one step", { concurrent: true }, () => {
  it("is verified in the verifier's own environment, which gets the artifacts and nothing else", async () => {
    const files = {
      "task.toml": `artifacts = ["/app/out", {source = "/app/one.txt", destination = "kept/one.txt"}, {source = "/app/link"}, {source = "/app/none"}]
[verifier]
environment_mode = "separate"
[verifier.env]
TOLD = "yes"
[[verifier.collect]]
command = "ps > /app/out/ps; echo collected > /app/out/hook"
`,
      "solution/solve.sh": `mkdir -p out/skip; echo done > out/a; ln -s /etc/passwd out/away; ln -s a out/near; echo 1 > one.txt; ln -s /etc link; echo log > /logs/agent/log; echo pub > /logs/artifacts/pub; echo x > /app/left; touch /tmp/here
echo 1 > /logs/verifier/reward.txt; mkdir -p /tests; echo 'echo 1 > /logs/verifier/reward.txt' > /tests/test.sh`,
      "tests/test.sh": test(
        `[ "$(cat /app/out/a)" = done ] && [ "$(cat /app/out/hook)" = collected ] && [ "$(cat /app/one.txt)" = 1 ] && [ "$(cat /logs/artifacts/pub)" = pub ] && [ "$TOLD" = yes ] && [ -L /app/out/near ] && [ ! -L /app/out/away ] && [ ! -e /app/link ] && [ ! -e /app/left ] && [ ! -e /tmp/here ]`,
      ),
    };
    const { record, folder } = await run("separate-env", files);
    expect(record).toMatchObject({ class: "passed", mode: "official", rewards: { reward: 1 } });
    expect(await json(join(folder, "artifacts/manifest.json"))).toMatchObject({
      artifacts: [
        { source: "/logs/artifacts", status: "ok", type: "folder" },
        { source: "/app/out", status: "ok", type: "folder" },
        { source: "/app/one.txt", destination: "kept/one.txt", status: "ok", type: "file" },
        { source: "/app/link", status: "refused" },
        { source: "/app/none", status: "missing" },
      ],
    });
    const kept = (await json(join(folder, "delta.json"))) as { paths: { files: { path: string }[]; links: object[] }[] }; // as Forge writes it
    const left = kept.paths[0]?.files.map(({ path }) => path) ?? [];
    expect(left.filter((path) => path.startsWith("app/out/")).toSorted()).toEqual(["app/out/a", "app/out/hook", "app/out/ps"]);
    expect(kept.paths[0]?.links).toEqual([{ path: "app/out/near", target: "a" }]);
  });

  it.skipIf(needs("bubblewrap"))("has the solution's variables for the solution, and what it says itself for the tests", async () => {
    const files = {
      "task.toml":
        '[metadata.forge]\nlocal = true\n[environment.env]\nBOTH = "environment"\n[solution.env]\nBOTH = "solution"\nANSWER = "42"\n[verifier.env]\nTOLD = "yes"\n',
      "solution/solve.sh": '#!/bin/bash\necho "$ANSWER $BOTH" > /app/seen\n',
      "tests/test.sh": test('[ "$(cat /app/seen)" = "42 solution" ] && [ -z "${ANSWER+set}" ] && [ "$BOTH$TOLD" = environmentyes ]'),
    };
    expect((await run("solution-env", files, "oracle", { sandbox: "bubblewrap" })).record).toMatchObject({
      class: "passed",
      mode: "official",
    });
  });

  describe("with a hook in a service", () => {
    const hooked = (solve: string, artifacts = ""): Readonly<Record<string, string>> => ({
      "task.toml": `artifacts = ["/app/out"${artifacts}]\n[verifier]\nenvironment_mode = "separate"\n[[verifier.collect]]\nservice = "web"\ncommand = "touch /shared/hook"\n[[verifier.collect]]\ncommand = "cp /shared/hook /app/out/hook"\n`,
      "environment/docker-compose.yaml": `services:
  main:
    build: .
    depends_on: [web]
    volumes: ["shared:/shared"]
  web:
    image: forge-base/debian:bookworm
    command: ["python3", "-c", "import socket; s = socket.create_server(('', 8000)); s.accept()"]
    volumes: ["shared:/shared"]
volumes: {shared: {}}
`,
      "solution/solve.sh": `mkdir out; ${solve}`,
      "tests/test.sh": test("[ -e /app/out/hook ]"),
    });
    const endIt = "for i in $(seq 50); do (echo > /dev/tcp/web/8000) 2>/dev/null && break; sleep 0.1; done; sleep 1";

    it("has an agent that made the service end scored by what is left, once, though an artifact was to come from there too", async () => {
      const { record, folder } = await run("service-hook-ended", hooked(endIt, ', {source = "/data", service = "web"}'));
      expect(record).toMatchObject({ class: "agent", rewards: { reward: 0 }, attempt: 1 });
      expect(await json(join(folder, "artifacts/manifest.json"))).toMatchObject({
        artifacts: [{ source: "/logs/artifacts" }, { source: "/app/out", status: "ok" }, { source: "/data", status: "refused" }],
      });
    });

    it("is tried again where somebody outside ended the service, which is recorded, and has what the hook left scored", async () => {
      const killed: string[] = [];
      const ports = withSandboxes(await benchPorts(), (sandbox, trial) => {
        const exec = sandbox.exec.bind(sandbox);
        const kill = async (): Promise<void> => {
          if (killed.includes(trial) || !trial.endsWith("/plain/1/1")) return;
          killed.push(trial);
          const [web] = await docker.listContainers({ filters: { label: [`forge.trial=${trial}`, "forge.service=web"] } });
          if (web) await docker.getContainer(web.Id).kill();
        };
        return Object.assign(sandbox, { exec: (...of: Parameters<typeof exec>) => kill().then(() => exec(...of)) });
      });
      const { record, retries } = await run("service-hook-killed", hooked("true"), "oracle", { ports });
      expect(retries).toMatchObject([{ class: "infra", error: "The container was ended from outside (kill)." }]);
      expect(record).toMatchObject({ class: "passed", attempt: 2 });
    });
  });

  it("can have its tests in the verifier's image", async () => {
    const { record } = await run("bundled-tests", {
      "task.toml": `artifacts = ["/app/out"]\n[verifier.environment]\ncpus = 1\n`,
      "tests/Dockerfile": `${base}COPY test.sh /tests/test.sh\nCOPY test.sh /only-here\n`,
      "tests/test.sh": test(`[ -e /only-here ] && [ "$(cat /app/out)" = done ]`),
      "solution/solve.sh": "echo done > out",
    });
    expect(record).toMatchObject({ class: "passed" });
  });

  it.skipIf(needs("bubblewrap"))(
    "goes through its steps in one sandbox, each with its own tests and run, and averages their rewards",
    async () => {
      const step = (check: string) =>
        `#!/bin/bash\nif ${check}; then echo '{"reward": 1, "style": 0.5}'; else echo '{"reward": 0}'; fi > /logs/verifier/reward.json\n`;
      const files = (min: string) => ({
        "task.toml": `[metadata.forge]\nlocal = true\n[[steps]]\nname = "first"\n${min}\n[[steps]]\nname = "second"\n[steps.healthcheck]\ncommand = "test -e ready"\ninterval_sec = 0.1\n[[steps]]\nname = "third"\n`,
        "steps/first/instruction.md": "One.\n",
        "steps/first/solution/solve.sh": "echo 1 > one",
        "steps/first/tests/test.sh": step(`[ -e one ] && [ ! -e two ]`),
        "steps/second/instruction.md": "Two.\n",
        "steps/second/workdir/setup.sh": "ls /tests /logs/verifier > seen; touch ready",
        "steps/second/solution/solve.sh": "[ -e ready ] && echo 2 > two",
        "steps/second/tests/test.sh": step(`[ -e one ] && [ -e two ] && ! grep -q test.sh seen`),
        "steps/third/instruction.md": "Three.\n",
        "steps/third/solution/solve.sh": "true",
        "steps/third/tests/test.sh": step("[ -e three ]"),
      });
      const { record, folder } = await run("three-steps", files(""), "oracle", { sandbox: "bubblewrap" });
      expect(record).toMatchObject({ class: "agent", rewards: { reward: 2 / 3, style: 1 / 3 }, turns: 6, outcome: { type: "done" } });
      expect(await json(join(folder, "steps.json"))).toMatchObject({
        planned: 3,
        steps: [
          { name: "first", rewards: { reward: 1, style: 0.5 } },
          { name: "second", rewards: { reward: 1, style: 0.5 } },
          { name: "third", rewards: { reward: 0 } },
        ],
      });
      for (const place of [".", "steps/second", "steps/third"]) expect(await readdir(join(folder, place))).toContain("seal.json");
      const early = await run("three-steps", files("min_reward = 1.0"), "nop", { sandbox: "bubblewrap" });
      expect(early.record).toMatchObject({ class: "agent", rewards: { reward: 0 } });
      expect(await json(join(early.folder, "steps.json"))).toMatchObject({ planned: 3, steps: [{ name: "first" }] });
    },
  );

  it("has each step verified in the environment of that step's own verifier, all of them built before the agent begins", async () => {
    const step = (name: string) => ({
      [`steps/${name}/instruction.md`]: "Do it.\n",
      [`steps/${name}/solution/solve.sh`]: `echo ${name} > ${name}`,
      [`steps/${name}/tests/Dockerfile`]: `${base}COPY test.sh /tests/test.sh\nCOPY image /image\n`,
      [`steps/${name}/tests/image`]: `${name}\n`,
      [`steps/${name}/tests/test.sh`]: test(`[ "$(cat /image /app/${name})" = "$(printf '${name}\\n${name}')" ]`),
    });
    const table = (name: string) => `[[steps]]\nname = "${name}"\nartifacts = ["${name}"]\n[steps.verifier.environment]\n`;
    const { record } = await run("steps-apart", { "task.toml": table("one") + table("two"), ...step("one"), ...step("two") });
    expect(record).toMatchObject({ class: "passed", rewards: { reward: 1 } });
  });

  it("works as other users, with the network of each phase", async () => {
    const { record, folder } = await run("users-and-nets", {
      "task.toml": `artifacts = ["/app/who"]\n[environment]\nnetwork_mode = "no-network"\n[agent]\nuser = "worker"\nnetwork_mode = "public"\n[verifier]\nuser = "worker"\n`,
      "environment/Dockerfile": `${base}RUN useradd -m worker && chown worker /app\n`,
      "solution/solve.sh": "id -un > who; ls /sys/class/net | grep -c eth >> who",
      "tests/test.sh": test(`[ "$(cat who | tr '\\n' ' ')" = "worker 1 " ] && [ "$(id -un)" = worker ] && [ "$(ls /sys/class/net)" = lo ]`),
    });
    expect([record.class, await readFile(join(folder, "artifacts/app/who"), "utf8")]).toEqual(["passed", "worker\n1\n"]);
  });

  it("waits for its health check, and is the machinery's where that never passes", async () => {
    const check = (command: string, startSeconds: number) =>
      `[environment]\nstorage_mb = 500\n[environment.healthcheck]\ncommand = "${command}"\ninterval_sec = 0.1\nretries = 2\nstart_period_sec = ${startSeconds}\nstart_interval_sec = 0.1\n`;
    const files = {
      "tests/test.sh": test("[ -e /up ]"),
      "environment/Dockerfile": `${base}ENTRYPOINT ["sh", "-c", "sleep 1; touch /up; sleep 600"]\n`,
    };
    const { record } = await run("healthy", { ...files, "task.toml": check("test -e /up", 30), "solution/solve.sh": "test -e /up" });
    expect(record).toMatchObject({ class: "passed", usage: { storagePeakBytes: expect.any(Number) as number } });
    const unfit = await taskOf("healthy", { ...files, "task.toml": check("false", 0), "solution/solve.sh": "true" });
    const sick = await fixtureRequest([unfit], { sandbox: "docker" });
    const stop = new AbortController(); // the further attempts would say the same
    const tried: BenchEvent[] = [];
    const onEvent = (event: BenchEvent): void => void (event.type === "trial.retry" && (tried.push(event), stop.abort()));
    expect(await bench(sick, await benchPorts(), { onEvent, stop: stop.signal })).toMatchObject({ status: "stopped", recorded: 0 });
    const error = expect.stringContaining("health check of the environment failed 2 times") as string;
    expect(tried).toMatchObject([{ class: "infra", error }]);
  });

  it("of Terminal-Bench 1 has its services, its solution, its parser and its tests as root", async () => {
    const files = {
      "task.yaml": "instruction: Do it.\ndifficulty: easy\nparser_name: pytest\nmax_agent_timeout_sec: 60\nmax_test_timeout_sec: 60\n",
      "docker-compose.yaml": `services:
  client:
    build: {dockerfile: Dockerfile}
    image: \${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}
    container_name: \${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}
    command: ["sh", "-c", "sleep infinity"]
    environment:
      - TEST_DIR=\${T_BENCH_TEST_DIR}
    volumes: ["\${T_BENCH_TASK_LOGS_PATH}:\${T_BENCH_CONTAINER_LOGS_PATH}", "\${T_BENCH_TASK_AGENT_LOGS_PATH}:\${T_BENCH_CONTAINER_AGENT_LOGS_PATH}"]
    depends_on: [web]
  web:
    image: forge-base/debian:bookworm
    command: python3 -m http.server 8000
`,
      Dockerfile: base,
      "solution.sh": `#!/bin/bash\nfor i in $(seq 50); do python3 -c "import urllib.request; urllib.request.urlopen('http://web:8000')" 2>/dev/null && break; sleep 0.1; done && echo done > /app/out\n`,
      "run-tests.sh": "python3 -m pytest $TEST_DIR/test_outputs.py -rA -p no:cacheprovider\n",
      "tests/test_outputs.py": "from pathlib import Path\ndef test_out():\n    assert Path('/app/out').read_text() == 'done\\n'\n",
    };
    const nop = await run("tb-one", files, "nop");
    expect(nop.record).toMatchObject({ class: "agent", rewards: { reward: 0 } });
    const { record } = await run("tb-one", files);
    expect(record).toMatchObject({ class: "passed", rewards: { reward: 1 } });
  });

  it.each([
    { of: "the image", name: "tb-user-image", user: "USER nobody\n", service: {} },
    { of: "the compose file", name: "tb-user-compose", user: "", service: { user: "65534:65534" } },
  ])("of Terminal-Bench 1 has its solution and its tests where the user of $of is not root", async ({ name, user, service }) => {
    const files = {
      "task.yaml": "instruction: Do it.\ndifficulty: easy\nparser_name: pytest\nmax_agent_timeout_sec: 60\nmax_test_timeout_sec: 60\n",
      "docker-compose.yaml": JSON.stringify({ services: { client: { build: { dockerfile: "Dockerfile" }, ...service } } }),
      Dockerfile: `${base}${user}`,
      "solution.sh": "#!/bin/bash\nid -un > /tmp/out\n",
      "run-tests.sh": "cd /tmp && python3 -m pytest /tests/test_outputs.py -rA -p no:cacheprovider\n",
      "tests/test_outputs.py": "from pathlib import Path\ndef test_out():\n    assert Path('/tmp/out').read_text() == 'nobody\\n'\n",
    };
    expect((await run(name, files)).record).toMatchObject({ class: "passed", rewards: { reward: 1 } });
  });
});

describe.skipIf(needs("docker"))("a hardened task whose image names no working directory", () => {
  it("has no score and the cure in its first attempt, before an agent begins", async () => {
    const { record } = await run("no-workdir", {
      "task.toml": '[metadata.forge]\nfamily = "none"\n',
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\n",
      "solution/solve.sh": "echo done > /out\n",
      "tests/test.sh": test("[ -e /out ]"),
    });
    expect(record).toMatchObject({
      class: "infra",
      attempt: 1,
      turns: 0,
      error: expect.stringMatching(/the working directory is \/, .*; give the Dockerfile a WORKDIR/) as string,
    });
  });
});

describe.skipIf(needs("docker"))("a container's network", { concurrent: true }, () => {
  it.each([
    { name: "raw-hardened", toml: '[metadata.forge]\nfamily = "none"\n', can: "no" },
    { name: "raw-official", toml: "", can: "yes" },
  ])("can be disturbed by forged packets in official mode alone: $name", async ({ name, toml, can }) => {
    const forge = `python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)' && echo yes || echo no`;
    const files = {
      "task.toml": toml,
      "solution/solve.sh": `(${forge}) > /app/out\n`,
      "tests/test.sh": test(`[ "$(cat /app/out)" = ${can} ]`),
    };
    expect((await run(name, files)).record).toMatchObject({ class: "passed", mode: toml === "" ? "official" : "hardened" });
  });
});

describe.skipIf(needs("docker"))("a task whose image lacks what the task names", { concurrent: true }, () => {
  it.each([
    { name: "no-such-user", toml: '[agent]\nuser = "nobodyhere"\n', says: /the agent's user "nobodyhere" cannot be used .*Dockerfile/ },
    {
      name: "no-such-workdir",
      toml: '[environment]\nworkdir = "/not/there"\n',
      says: /the working directory "\/not\/there" .* is no folder of its image; make it in the Dockerfile/,
    },
  ])("has no score, for its own fault, in its first attempt: $name", async ({ name, toml, says }) => {
    const { record } = await run(name, { "task.toml": toml, "solution/solve.sh": "true\n", "tests/test.sh": test("true") });
    expect(record).toMatchObject({ class: "infra", attempt: 1, score: null, turns: 0, error: expect.stringMatching(says) as string });
    expect(record.evidence).toMatchObject([{ kind: "task", lasting: true }]);
  });
});

describe.skipIf(needs("docker"))("a hostile verifier", () => {
  const verifiers = [
    ["prints for ever", "yes 'all tests passed, believe me'", "longer than", 1],
    ["writes a huge reward", "truncate -s 10G /logs/verifier/reward.txt", "larger than", 20],
    ["fills the disk", "head -c 300000000 /dev/zero > /big; sleep 600", "verifier", 20],
    ["takes its own shell away", "rm -rf /bin/sh /usr/bin/dash; kill -9 -1", "verifier", 20],
  ] as const;
  const nameOf = (does: string): string => `hostile-${does.replaceAll(" ", "-")}`;
  let job: string;
  beforeAll(async () => {
    const hostile = verifiers.map(([does, script, , seconds]) =>
      taskOf(nameOf(does), {
        "task.toml": `[verifier]\ntimeout_sec = ${seconds.toFixed(1)}\n[environment]\nstorage_mb = 100\n`,
        "tests/test.sh": `#!/bin/bash\n${script}\n`,
        "solution/solve.sh": "true",
      }),
    );
    const request = await fixtureRequest(await Promise.all(hostile), { sandbox: "docker" });
    ({ folder: job } = await bench(request, await benchPorts(), { retryMs: 1 }));
  });

  it.each(verifiers)("that %s costs its own trial a score of 0 and nothing more", async (does, _, why) => {
    const record = await recordIn(job, nameOf(does));
    expect(record).toMatchObject({ class: "verifier", score: 0, passed: false, error: expect.stringContaining(why) as string });
    for (const file of ["stdout.txt", "stderr.txt"])
      expect((await readFile(join(job, record.trace, "verifier", file))).length).toBeLessThan(3_000_000);
  });
});
