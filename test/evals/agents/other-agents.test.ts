import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { showJob } from "../../../cli/jobs/show-job.ts";
import { replayParts } from "../../../assembly/registry.ts";
import { ConfigError, messageOf } from "../../../harness/errors.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import { judgeRun } from "../../../traces/replay/corpus/judge-run.ts";
import { describeJob } from "../../../reports/terminal/configuration-table.ts";
import { said } from "../../cli/said.ts";
import type { Task } from "../../../tasks/task.ts";
import { agentSeconds, endByTest } from "../agent-time.ts";
import { benchPorts, removeScratch, scratch } from "../bench-fixture.ts";
import { benchAgents, greet, resolve, scripted, tryAgents } from "./agent-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000 });

/** A program in Python that has `ask(messages, model)`. */
const python = (body: string): ConfigFile => ({
  agent: {
    command: `python3 - <<'END'
import json, os, sys, urllib.request, urllib.error
def ask(messages, model=os.environ["FORGE_MODEL"]):
    body = json.dumps({"model": model, "messages": messages}).encode()
    return urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}))
def status(*given):
    try:
        return ask(*given).status
    except urllib.error.HTTPError as error:
        return error.code
${body}
END`,
    wire: "openai-chat",
  },
});
const hello = `[{"role": "user", "content": "hello"}]`;

describe("another agent as an arm", () => {
  let tried: ReturnType<typeof tryAgents> | undefined;
  /** One trial, looked at by more than one test. */
  const solved = () => (tried ??= tryAgents([scripted]));

  it("solves a task through the gateway; its run is a trace of our own events that replays exactly", async () => {
    const [trial] = await solved();
    expect(trial?.record).toMatchObject({ class: "passed", passed: true, turns: 4, simulated: true, agent: "configured" });
    expect(trial?.record.tokens.in).toBeGreaterThan(500);
    expect(trial?.answer).toMatchObject({ verdict: "exact" });
    const kinds = trial?.events.map(({ t }) => t) ?? [];
    const count = (t: string): number => kinds.filter((each) => each === t).length;
    expect([count("model.request"), count("model.response"), count("tool.call"), count("tool.result")]).toEqual([4, 4, 3, 3]);
    expect(kinds.slice(0, 2)).toEqual(["run.start", "model.request"]);
    const call = trial?.events.find(({ t }) => t === "tool.call");
    expect(call).toMatchObject({ lane: "main/1.1", d: { call: { name: "bash" } } });
    const result = trial?.events.find(({ t }) => t === "tool.result");
    expect(JSON.stringify(result?.d["reply"])).toContain("(exit code 0)");
  });

  it("sees the files of its configuration, and they are part of its hash", async () => {
    const folder = await scratch();
    await writeFile(join(folder, "a.md"), "Rule number one.\n");
    await writeFile(join(folder, "b.md"), "Rule number two.\n");
    const arms = ["a.md", "b.md"].map((file): ConfigFile => ({
      ...scripted,
      files: { ...scripted.files, "AGENTS.md": join(folder, file) },
    }));
    const [a, b] = await tryAgents(arms);
    expect(a?.record.harnessHash).not.toBe(b?.record.harnessHash);
    const prompts = [a, b].map((trial) => JSON.stringify(trial?.events.find(({ t }) => t === "model.request")?.d["system"]));
    expect(prompts[0]).toContain("Rule number one.");
    expect(prompts[1]).toContain("Rule number two.");
  });

  it("has no key and no other agent's token in its record", async () => {
    const [trial] = await tryAgents(
      [python(`print(os.environ["OPENAI_API_KEY"])\nask(${hello.replace("hello", "key ' + os.environ['OPENAI_API_KEY'] + '")})`)],
      {
        env: { OPENAI_API_KEY: "sk-never-inside-0123456789" },
      },
    );
    const text = await readFile(join(trial?.folder ?? "", "trace.jsonl"), "utf8");
    expect(text).not.toMatch(/forge-[0-9a-f]{32}|sk-never-inside/);
  });

  it("is told to stop by a limit, which its record and its trace name, and what it did is verified", async () => {
    const [turns, tokens, cost] = await tryAgents([
      { ...scripted, limits: { turns: 2 } },
      { ...scripted, limits: { tokens: 300 } },
      { ...scripted, limits: { costUsd: 0.0004 } },
    ]);
    for (const [trial, limit] of [
      [turns, "turns"],
      [tokens, "tokens"],
      [cost, "costUsd"],
    ] as const) {
      expect(trial?.record).toMatchObject({ outcome: { type: "limit", limit }, class: expect.stringMatching(/agent|passed/) });
      expect(trial?.events.filter(({ t }) => t === "limit.hit")).toHaveLength(1);
      expect(trial?.answer.verdict).toBe("exact");
    }
    expect(turns?.record.turns).toBe(2);
  });

  it("finds a changed byte of its record", async () => {
    const [trial] = await solved();
    const path = join(trial?.folder ?? "", "trace.jsonl");
    await writeFile(path, (await readFile(path, "utf8")).replace("I look around.", "I look about.."));
    expect(await judgeRun(trial?.folder ?? "", {}, replayParts({ trust: true }))).toMatchObject({ verdict: "damaged" });
  });
});

/** A task whose agent's time the test ends. */
const untilEnded = async (): Promise<Task> => {
  const made = await greet();
  return { ...made, agent: { ...made.agent, timeoutMs: agentSeconds * 1000 } };
};

describe("an agent that misbehaves", () => {
  it("and never ends is ended at its time, with what it did verified", async () => {
    const { ports, over } = endByTest(await benchPorts());
    const worked = join(await scratch(), "worked");
    const command = `printf '%s\\n' 'printf "Hello, %s!\\n" "\${1:-world}"' > greet.sh; touch ${worked}; sleep 1000`;
    const trying = tryAgents([{ agent: { command, wire: "openai-chat" } }], { task: await untilEnded(), ports });
    await expect.poll(() => existsSync(worked)).toBe(true);
    over();
    const [trial] = await trying;
    expect(trial?.record).toMatchObject({ outcome: { type: "limit", limit: "deadline" }, class: "passed" });
    expect(trial?.answer.verdict).toBe("exact");
  });

  it("and waits until its time is over for a server that says nothing is no fault of its own", async () => {
    const { ports, over } = endByTest(await benchPorts());
    const silent = createServer(over).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo; // it listens
    const model = { name: "local/mute", baseUrl: `http://127.0.0.1:${port}/v1` };
    try {
      await expect(
        tryAgents([{ ...scripted, model }], { task: await untilEnded(), sandbox: "local-unsafe", ports }),
      ).resolves.toMatchObject([{ record: { class: "infra", outcome: { type: "limit", limit: "deadline" } } }]);
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it("and floods its output, exits 0 having done nothing, or fails after a reply is the agent's own fault; the job goes on", async () => {
    const arms = await tryAgents([
      { agent: { command: "head -c 50000000 /dev/zero | tr '\\0' x; echo the end", wire: "openai-chat" } },
      { agent: { command: "true", wire: "openai-chat" } },
      python(`ask(${hello})\nsys.exit("something is missing.")`),
    ]);
    expect(arms.map(({ record }) => record.class)).toEqual(["agent", "agent", "agent"]);
    expect(arms.map(({ record }) => record.outcome)).toMatchObject([
      { type: "done" },
      { type: "done" },
      {
        type: "error",
        kind: "agent",
        message: "arm-3 ended with exit code 1 after 1 request and no tool call: something is missing.",
      },
    ]);
    const note = arms[0]?.events.find(({ t }) => t === "note");
    expect(note?.d).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/xthe end\n$/), dropped: expect.any(Number) });
    expect(arms[2]?.record.error).toBe(arms[2]?.record.outcome?.["message"]);
    expect(arms.every(({ answer }) => answer.verdict === "exact")).toBe(true);
  });

  it("and asks for a model it was not given, or sends 50 MB, gets a refusal in its provider's form, and it is noted", async () => {
    const [trial] = await tryAgents([
      python(
        `print(status(${hello}, "gpt-9"))\ntry:\n    print(status([{"role": "user", "content": "x" * 50_000_000}]))\nexcept OSError as error:\n    print("closed")`,
      ),
    ]);
    expect(trial?.record).toMatchObject({ class: "agent", turns: 0 });
    const notes = trial?.events.filter(({ t }) => t === "note").map(({ d }) => String(d["text"]));
    expect(notes?.[0]).toContain('refused a request with 404: The model "gpt-9" is not the one of this run');
    expect(notes?.[1]).toContain("refused a request with 413: The request is larger than 32 MB");
  });

  it("and goes on after it was told to stop is ended", async () => {
    const [trial] = await tryAgents([
      {
        ...python(`while True:\n    status([{"role": "user", "content": open("/dev/null").read() + "Write a shell script"}])`),
        limits: { turns: 1 },
      },
    ]);
    expect(trial?.record).toMatchObject({ outcome: { type: "limit", limit: "turns" } });
  });
});

/** Solves its task the first time and does this from then on. */
const afterOnce = (folder: string, failing: string): ConfigFile => ({
  ...scripted,
  agent: { command: `mkdir '${folder}/once' 2>/dev/null || { ${failing}; }; python3 "$HOME/agent.py"`, wire: "openai-chat" },
});

describe("an agent that crashes at once", () => {
  it.each([
    [
      "whose command is not there",
      "no-such-agent --run",
      /^arm-1 ended with exit code 127 before its first request: no-such-agent: .*not found/,
    ],
    ["that exits before it asks", "echo 'no module x' >&2; exit 1", /^arm-1 ended with exit code 1 before its first request: no module x/],
    [
      "whose every request is refused",
      `sed 's/os.environ."FORGE_MODEL".,/"gpt-9",/' "$HOME/agent.py" | python3 /dev/stdin`,
      /^arm-1 ended with exit code 1 before any request reached its model \(the gateway refused one: The model "gpt-9" is not the one of this run, which is sim-model\): the model answered 404/,
    ],
  ])("%s stops the job with one sentence after three trials, as a refused key does", async (_, command, words) => {
    const arms = [{ ...scripted, agent: { command, wire: "openai-chat" as const } }, ...(command.startsWith("echo") ? [scripted] : [])];
    const { error, records } = await benchAgents(arms, { repeats: 5 });
    expect(messageOf(error)).toMatch(words);
    expect(messageOf(error)).toMatch(/, as did each of its 3 trials so far; no further trial is started\.$/);
    expect(error).toBeInstanceOf(ConfigError);
    expect(records.filter(({ configuration }) => configuration === "arm-1")).toHaveLength(3);
  });

  it("stops a job that has no more than one trial of it at that one", async () => {
    const { error } = await benchAgents([{ agent: { command: "exit 2", wire: "openai-chat" } }]);
    expect(messageOf(error)).toBe("arm-1 ended with exit code 2 before its first request; no further trial is started.");
  });

  it("in some of its trials fails these; its last words are in the record, at the job's end and in the job's list", async () => {
    const { result, records, folder } = await benchAgents([afterOnce(await scratch(), "echo 'no module x' >&2; exit 3")], { repeats: 4 });
    const says = "arm-1 ended with exit code 3 before its first request: no module x.";
    expect(records.map((record) => record.class)).toEqual(["passed", "agent", "agent", "agent"]);
    expect(records[1]).toMatchObject({
      passed: false,
      error: says,
      evidence: [{ kind: "run", exitCode: 3, requests: 0 }, { kind: "reward" }],
    });
    expect(result?.configurations[0]).toMatchObject({ passed: 1, failed: 3, crashes: { trials: 3, says } });
    expect(result && describeJob(result, { word: "x" }).replaceAll(/\s+/g, " ")).toContain(
      `arm-1: 3 of 4 trials crashed before any tool call: ${says}`,
    );
    const { out } = await said(async () => (await showJob(folder, {}), 0));
    expect(out).toMatch(
      /crashed before any tool call:\nagent {2}greet arm-1 #2, attempt 1\n {4}run: error \(agent\): arm-1 ended with exit code 3/,
    );
  });

  it("for want of a command that the task's environment lacks has no score there, and is tried once", async () => {
    const { result, records } = await benchAgents([afterOnce(await scratch(), "no-such-python agent.py; exit 127")], { repeats: 2 });
    expect(records.map((record) => [record.class, record.passed, record.attempt])).toEqual([
      ["passed", true, 1],
      ["infra", null, 1],
    ]);
    expect(records[1]?.error).toMatch(/^arm-1 ended with exit code 127 before its first request: no-such-python: .*not found\.$/);
    expect(records[1]?.evidence).toMatchObject([
      { kind: "run", exitCode: 127 },
      { kind: "task", lasting: true },
    ]);
    expect(result).toMatchObject({ status: "finished", unscored: 1 });
  });
});

describe("an agent that is installed by a command", () => {
  const installed = (install: string): ConfigFile => ({
    agent: { install, command: 'python3 "$FORGE_LAYER/bin/agent"', wire: "openai-chat" },
  });

  it("is installed once for all trials, jobs and arms of the same command, before the first of them", async () => {
    const folder = await scratch();
    const source = join(import.meta.dirname, "../../fixtures/agents/scripted-agent.py");
    const config = installed(`echo run >> '${folder}/runs'; mkdir bin && cp '${source}' "$FORGE_LAYER/bin/agent"`);
    const env = { XDG_CACHE_HOME: folder };
    const first = await benchAgents([config, { ...config, args: ["--other"] }], { env });
    const second = await benchAgents([config], { env });
    expect([...first.records, ...second.records].map((record) => record.class)).toEqual(["passed", "passed", "passed"]);
    expect(await readFile(join(folder, "runs"), "utf8")).toBe("run\n");
  });

  it("and cannot be is one sentence before any trial, and is tried again the next time", async () => {
    const folder = await scratch();
    const config = installed(`echo run >> '${folder}/runs'; echo 'ERROR: No matching distribution found for my-agent==9' >&2; exit 4`);
    for (const runs of ["run\n", "run\nrun\n"]) {
      const { error, records } = await benchAgents([config, scripted], { env: { XDG_CACHE_HOME: folder } });
      expect(messageOf(error)).toBe(
        "agent.install: it ended with exit code 4: No matching distribution found for my-agent==9. Nothing was started.",
      );
      expect(records).toEqual([]);
      expect(await readFile(join(folder, "runs"), "utf8")).toBe(runs);
    }
  });
});

describe("a configuration of another agent", () => {
  const wrong: readonly (readonly [ConfigFile, string | RegExp])[] = [
    [{ agent: "claud-code" }, /^agent: there is no agent "claud-code", did you mean "claude-code"\?/],
    [{ agent: "codex@latest" }, /^agent: expected an exact version, such as codex@[\d.]+, got "codex@latest"/],
    [{ ...scripted, tools: ["bash"] }, /^tools: the agent brings its own, and would not see this/],
    [{ ...scripted, model: { name: "sim/perfect", temperature: 0.5 } }, /^model.temperature: the agent brings its own/],
    [{ files: { "AGENTS.md": "README.md" } }, /^files\.AGENTS\.md|^files\["AGENTS\.md"\]/],
    [{ ...scripted, files: { "../x": "README.md" } }, /expected a path below the workdir/],
    [{ ...scripted, files: { x: "no-such-file" } }, /there is no no-such-file/],
  ];
  it.each(wrong)("that cannot be as it is written is refused: %j", async (config, words) => {
    await expect(resolve(config)).rejects.toThrow(words);
  });

  it("changes its hash with the command, a variable, an argument and the version, and not with its name", async () => {
    const base = await resolve(scripted);
    const others = await Promise.all(
      [
        { env: { A: "1" } },
        { args: ["-v"] },
        { agent: { command: "true", wire: "openai-chat" as const } },
        { agent: "codex" },
        { agent: "codex@0.1.0" },
      ].map((more) => resolve({ ...scripted, ...more })),
    );
    expect(new Set([base, ...others].map(({ hash }) => hash)).size).toBe(6);
    expect((await resolve(scripted, "named")).hash).toBe(base.hash);
  });

  it("is refused before any trial where its agent's wire does not reach a paid model", async () => {
    const { createBenchPorts } = await import("../../../assembly/create-bench-ports.ts");
    const ports = await createBenchPorts({ ANTHROPIC_API_KEY: "sk-x" });
    const config = await resolve({ ...scripted, model: "anthropic/claude-sonnet-5-5" });
    await expect(ports.identify(config, "configured")).rejects.toThrow(
      "model.name: command speaks openai-chat, and anthropic/claude-sonnet-5-5 is asked over anthropic-messages",
    );
    expect((await greet()).name).toBe("greet");
  });
});
