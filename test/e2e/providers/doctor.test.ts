import { mkdirSync, symlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";
import { openAiRefusal } from "../../servers/strict/strict-openai.ts";
import { forgeHere as forge } from "../../cli/forge-here.ts";
import { cleanUp, emptyFolder } from "../forge.ts";

afterAll(cleanUp);

interface Report {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly level: string; readonly found: string; readonly cure?: string }[];
  readonly plannedUsd?: number | null;
  readonly spentUsd?: number | null;
}
/** A PATH that has node and nothing else. */
function bareMachine(cwd: string): Record<string, string> {
  const path = join(cwd, "bin");
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, "node"));
  return { PATH: path, DOCKER_HOST: `unix://${join(cwd, "nothing.sock")}`, OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
}
async function doctor(args: readonly string[], o: { cwd?: string; env?: Record<string, string> } = {}) {
  const cwd = o.cwd ?? emptyFolder();
  const { code, stdout, stderr } = await forge(["doctor", ...args, "--json"], { cwd, env: o.env ?? {} });
  const report = JSON.parse(stdout) as Report; // the command's own shape
  return { code, stderr, report, of: (name: string) => report.checks.find((check) => check.name === name) };
}

describe("the machine", () => {
  it("is not ready without any sandbox: each thing with its cure, and exit code 1", async () => {
    const cwd = emptyFolder();
    const { code, of } = await doctor([], { cwd, env: bareMachine(cwd) });
    expect(code).toBe(1);
    expect(of("node")).toMatchObject({ level: "ok", found: process.version });
    expect(of("git")).toMatchObject({ level: "warn", cure: expect.stringContaining("Install git") as string });
    expect(of("docker")).toMatchObject({ level: "bad", found: expect.stringContaining("There is no Docker socket") as string });
    expect(of("bubblewrap")).toMatchObject({ level: "bad", cure: expect.stringContaining("install -y bubblewrap") as string });
  });

  it("names the keys that are set, and none of their values", async () => {
    const { of, report } = await doctor([], { env: { OPENAI_API_KEY: "sk-a-secret-value-of-mine", ANTHROPIC_API_KEY: "" } });
    expect(of("keys")?.found).toMatch(/^OPENAI_API_KEY is set; ANTHROPIC_API_KEY/);
    expect(JSON.stringify(report)).not.toContain("a-secret-value");
  });

  it("prints the result first, in lines of at most 80 columns", async () => {
    const cwd = emptyFolder();
    const { stdout, code } = await forge(["doctor"], { cwd, env: bareMachine(cwd) });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Not ready: 2 things needed are missing/);
    for (const line of stdout.split("\n").filter((one) => !one.includes(cwd))) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});

describe("the model", () => {
  it("without its key is named with the variable to export", async () => {
    const { code, of } = await doctor(["--model", "openai/gpt-5-mini"], { env: { OPENAI_API_KEY: "", API_KEY: "" } });
    expect(code).toBe(1);
    expect(of("model")).toMatchObject({ level: "bad", cure: expect.stringContaining("Export OPENAI_API_KEY=") as string });
  });

  it("that nothing is known of is described by a row of the user's own", async () => {
    const server = await startModelServer({});
    onTestFinished(() => server.close());
    const { code, of } = await doctor(["--model", "local/mine", "--base-url", server.url]);
    expect(code).toBe(0);
    expect(of("row")).toMatchObject({ level: "warn", cure: expect.stringContaining("models: {local/mine:") as string });
  });

  it("whose server accepts a connection and sends nothing is dead", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`; // a listening TCP server has one
    const { code, of } = await doctor(["--model", "local/mine"], { env: { LOCAL_BASE_URL: address } });
    expect(code).toBe(1);
    expect(of("server")).toMatchObject({ level: "bad", found: expect.stringContaining("nothing came back within 2.5 s") as string });
  });

  it("in a configuration that cannot be read is named with file and line", async () => {
    const cwd = emptyFolder({ "forge.yaml": "model:\n  efort: high\n" });
    const { code, of } = await doctor([], { cwd });
    expect(code).toBe(1);
    expect(of("model")?.found).toContain("efort");
  });
});

describe("--call", () => {
  const said = ({ body }: ReceivedRequest): string => JSON.stringify((body["messages"] as unknown[]).at(-1));
  const report = (word: string) => ({ name: "report", args: { word } });
  const able = (request: ReceivedRequest): ScriptedReply => {
    const ask = said(request);
    if (ask.includes("twice")) return { calls: [report("one"), report("two")] };
    if (ask.includes("Call the tool")) return { calls: [report("ready")] };
    if (ask.includes("two hundred")) return { text: "one two", stop: "length" };
    return { text: ask.includes("fifteen") ? "one, two, three" : "ready" };
  };
  async function called(model: string, answer: (request: ReceivedRequest) => ScriptedReply, ...more: string[]) {
    const server = await startModelServer({ always: (request) => openAiRefusal(request) ?? answer(request) });
    onTestFinished(() => server.close());
    const done = await doctor(["--model", model, "--base-url", server.url, "--call", ...more], { env: { OPENAI_API_KEY: "k" } });
    return { ...done, server };
  }

  it("asks once in each way, and prints before what it costs at most", async () => {
    const { code, stderr, report, server } = await called("openai/gpt-5-mini", able, "--price", "0.25,2");
    expect(report.checks.filter(({ name }) => name.startsWith("call")).map(({ name, level }) => [name, level])).toEqual(
      ["text", "tool", "parallel calls", "stream", "cut"].map((kind) => [`call: ${kind}`, "ok"]),
    );
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(5);
    expect(report.plannedUsd).toBeLessThanOrEqual(0.02);
    expect(report.spentUsd).toBeGreaterThan(0);
    expect(stderr).toMatch(/^Five calls of openai\/gpt-5-mini, at most \$0\.0\d+ by its price\.$/m);
  });

  it("reports what works less well, and is ready all the same", async () => {
    const { code, report } = await called("local/mine", () => ({ text: "ready" }));
    const levels = Object.fromEntries(report.checks.map(({ name, level }) => [name, level]));
    expect(levels).toMatchObject({ "call: text": "ok", "call: tool": "warn", "call: parallel calls": "warn", "call: cut": "warn" });
    expect(code).toBe(0);
  });

  it("asks nothing where the price would be above the cap", async () => {
    const { report, server } = await called("openai/gpt-5-mini", able, "--price", "200,2000");
    expect(report.checks.at(-1)).toMatchObject({ name: "call", level: "warn", found: expect.stringContaining("above $0.02") as string });
    expect(server.requests).toEqual([]);
  });

  it("stops at the first refusal: why, the cure, exit code 1", async () => {
    const cwd = emptyFolder({ "forge.yaml": "model:\n  temperature: 0.3\n" });
    const server = await startModelServer({ always: (request) => openAiRefusal(request) ?? able(request) });
    onTestFinished(() => server.close());
    const to = ["--model", "openai/gpt-5-mini", "--base-url", server.url, "--call"];
    const { code, of } = await doctor(to, { cwd, env: { OPENAI_API_KEY: "k" } });
    expect(code).toBe(1);
    expect(server.requests).toHaveLength(1);
    expect(of("call: text")).toMatchObject({
      level: "bad",
      found: expect.stringContaining("'temperature' does not support 0.3") as string,
      cure: expect.stringContaining("forge.yaml:2") as string,
    });
  });
});
