import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hashFolder } from "../../harness/sandbox/workspace/workspace-hash.ts";
import { needs } from "../needs.ts";
import { startModelServer, type ModelServer } from "../servers/model-server.ts";
import type { ScriptedReply } from "../servers/scripted-reply.ts";
import { forgeHere } from "../cli/forge-here.ts";
import { built, cleanUp, emptyFolder, forge, get, git, jsonLines, put, type Answer } from "./forge.ts";

beforeAll(built);
afterAll(cleanUp);

it("an older Node ends every command with what it needs, before anything is loaded", async () => {
  const folder = emptyFolder({
    "old.cjs": 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });\n',
  });
  const { engines } = JSON.parse(get(join(import.meta.dirname, "..", ".."), "package.json")) as { engines: { node: string } };
  for (const args of [["--version"], ["--help"], ["demo"], ["bench", "demo"]]) {
    const answer = await forge(args, { cwd: folder, env: { NODE_OPTIONS: `--require ${join(folder, "old.cjs")}` } });
    expect([answer.code, answer.stdout]).toEqual([3, ""]);
    expect(answer.stderr).toMatch(/^error: Forge needs Node [\d.]+ or newer, and this is Node 18\.20\.8: install .*\n$/);
    expect(answer.stderr).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
  }
});

describe("forge bench", () => {
  const rest = ["--filter", "gr*", "--sandbox", "local", "--out", "job"];
  const asked = ["bench", "demo", "--config", "bare", "--config", "standard", ...rest];
  const folder = emptyFolder();

  it("streams NDJSON with the result last, resumes without repeating a trial, and its job is compared and replayed", async () => {
    const first = await forge([...asked, "--json"], { cwd: folder });
    expect(first.code).toBe(0);
    const events = jsonLines(first.stdout);
    expect(events[0]).toMatchObject({ type: "job.start", suite: "demo", simulated: true, trials: 2, finished: 0, sandbox: "local" });
    expect(events.filter((event) => event["type"] === "trial.end")).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "job.end", result: { status: "finished", recorded: 2, trials: 2 } });

    const again = await forgeHere([...asked, "--json"], { cwd: folder });
    expect(again.code).toBe(0);
    const resumed = jsonLines(again.stdout);
    expect(resumed[0]).toMatchObject({ type: "job.start", finished: 2 });
    expect(resumed.filter((event) => event["type"] === "trial.start")).toEqual([]);
    expect(resumed.at(-1)).toMatchObject({ result: { status: "finished", recorded: 2 } });

    const comparison = await forgeHere(["compare", "job"], { cwd: folder });
    expect(comparison.code).toBe(0);
    expect(comparison.stdout).toContain("simulated");
    expect(comparison.stdout).toContain("withheld");
    const [json] = jsonLines((await forgeHere(["compare", "job", "--json"], { cwd: folder })).stdout);
    expect(json).toMatchObject({ pairs: [{ verdict: { word: expect.stringContaining("withheld") } }] });

    const report = await forgeHere(["report", "job", "--markdown"], { cwd: folder });
    const commands = [...report.stdout.slice(report.stdout.indexOf("To reproduce")).matchAll(/<code>(.*?)<\/code>/g)].map(([, one = ""]) =>
      one.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))),
    );
    expect(commands).toHaveLength(4);
    // as a shell takes them apart
    for (const command of commands) {
      const typed = spawnSync("sh", ["-c", `forge() { printf '%s\\0' "$@"; }; ${command}`], { cwd: folder, encoding: "utf8" });
      const { code, stderr } = await forgeHere(typed.stdout.split("\0").slice(0, -1), { cwd: folder });
      expect([command, typed.status, code], stderr).toEqual([command, 0, 0]);
    }
    expect(JSON.parse(get(folder, "job-again/result.json"))).toMatchObject({ status: "finished", recorded: 2 });

    const replay = await forgeHere(["replay", "job"], { cwd: folder });
    expect(replay.code).toBe(0);
    expect(replay.stdout).toMatch(/2 runs: 2 exact/);
    const verify = jsonLines((await forgeHere(["traces", "verify", "job", "--json"], { cwd: folder })).stdout);
    expect(verify.slice(0, -1)).toHaveLength(2);
    expect(verify.at(-1)).toMatchObject({ type: "summary", runs: 2, whole: 2 });
  }, 120_000);

  it("asked for less in the same folder refuses, and leaves the job as it was", async () => {
    const before = get(folder, "job/config.json");
    const other = await forgeHere(["bench", "demo", "--config", "bare", ...rest], { cwd: folder });
    expect(other.code).not.toBe(0);
    expect(other.stderr).toMatch(/^error: .*job.*\.\n$/);
    expect(get(folder, "job/config.json")).toBe(before);
  });

  it("finds a job whose trace was changed damaged", async () => {
    const [trace] = readdirSync(join(folder, "job"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("trace.jsonl"));
    const path = `job/${String(trace)}`;
    put(folder, path, get(folder, path).replace('"tool.call"', '"tool.cull"'));
    const replay = await forgeHere(["replay", "job"], { cwd: folder });
    expect(replay.code).toBe(4);
    expect(replay.stdout).toContain("byte");
    expect(replay.stdout).toContain("1 damaged, 1 exact");
  });
});

/** A small repository with a bug, under git, with something that is not committed. */
function repository(): string {
  const folder = emptyFolder({
    "sum.js": "exports.sum = (a, b) => a - b;\n",
    "test.js": 'if (require("./sum.js").sum(2, 3) !== 5) throw new Error("2 + 3 is not 5");\nconsole.log("ok");\n',
    ".gitignore": "secret.txt\n",
    "secret.txt": "kept out\n",
  });
  git(folder, "init", "-q");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  put(folder, "draft.txt", "not committed yet\n");
  return folder;
}
const runs = (folder: string): string[] => (existsSync(join(folder, ".forge/runs")) ? readdirSync(join(folder, ".forge/runs")) : []);

const work: ScriptedReply[] = [
  {
    text: "I look first.",
    calls: [
      { name: "read", args: { path: "sum.js" } },
      { name: "grep", args: { pattern: "sum" } },
    ],
  },
  {
    calls: [
      { name: "edit", args: { path: "sum.js", old_string: "a - b", new_string: "a + b" } },
      { name: "write", args: { path: "notes/done.md", content: "fixed\n" } },
    ],
  },
  { calls: [{ name: "bash", args: { command: "node test.js && rm draft.txt" } }] },
];
const done: ScriptedReply = { text: "The sum is right now." };
const wires = [
  { wire: "anthropic", model: "anthropic/claude-test", url: (server: ModelServer) => server.origin, by: forgeHere },
  { wire: "openai", model: "openai/gpt-test", url: (server: ModelServer) => server.url, by: forge },
] as const;

describe.skipIf(needs("git"))("forge run", () => {
  let server: ModelServer | undefined;
  afterEach(async () => server?.close());
  const run = async (
    folder: string,
    replies: readonly ScriptedReply[],
    flags: readonly string[],
    { model, url, by }: Pick<(typeof wires)[number], "model" | "url" | "by"> = { ...wires[1], by: forgeHere },
  ): Promise<Answer> => {
    server = await startModelServer({ replies, always: () => done });
    return by(["run", "make the sum right", "--model", model, "--base-url", url(server), "--sandbox", "local", ...flags], {
      cwd: folder,
    });
  };

  it.each(wires)("mends a repository through the $wire wire, keeps a checkpoint, and its trace replays exactly", async (which) => {
    const folder = repository();
    const answer = await run(folder, work, ["--yes", "--json"], which);
    expect(answer.code, answer.stderr).toBe(0);
    const [result, ...more] = jsonLines(answer.stdout);
    expect(more).toEqual([]);
    expect(result).toMatchObject({ type: "result", outcome: { type: "done" }, answer: done.text, model: which.model, sandbox: "local" });
    expect(answer.stderr).toContain("unconfined");

    expect(get(folder, "sum.js")).toContain("a + b");
    expect(get(folder, "notes/done.md")).toBe("fixed\n");
    expect(existsSync(join(folder, "draft.txt"))).toBe(false);
    expect(git(folder, "status", "--porcelain", "-uall").trim().split("\n").toSorted()).toEqual(["?? notes/done.md", "M sum.js"]);
    expect(git(folder, "log", "--format=%s").trim()).toBe("first");

    const replay = await forgeHere(["replay", ".forge/runs", "--json"], { cwd: folder });
    expect(replay.code, replay.stderr).toBe(0);
    expect(jsonLines(replay.stdout)[0]).toMatchObject({ verdict: "exact", detail: { exact: true, cutOff: false } });
    const [id] = runs(folder);
    const { workspace } = JSON.parse(get(folder, `.forge/runs/${id}/seal.json`));
    expect(await hashFolder(folder)).toEqual({ hash: workspace }); // of the work, whatever git ignores and Forge keeps beside it
    expect(await forgeHere(["traces", "verify", ".forge/runs"], { cwd: folder })).toMatchObject({ code: 0 });

    const [command = "", ...args] = String(result?.["restore"]).split(" ");
    expect(command).toBe("git");
    git(folder, ...args);
    expect(get(folder, "sum.js")).toContain("a - b");
    expect(get(folder, "draft.txt")).toBe("not committed yet\n");
    expect(get(folder, "secret.txt")).toBe("kept out\n");
  });

  it("says every event as a line with --json-stream, the result last", async () => {
    const folder = repository();
    const answer = await run(folder, work, ["--yes", "--json-stream"]);
    const lines = jsonLines(answer.stdout);
    expect(lines.at(-1)).toMatchObject({ type: "result" });
    expect(lines.slice(0, -1).every((line) => line["type"] === "event")).toBe(true);
    expect(lines[0]).toMatchObject({ t: "run.start", lane: "main", n: 0 });
    expect(lines.filter((line) => line["t"] === "tool.result")).toHaveLength(5);
  });

  it("denies commands when nobody is there, and works on with file tools", async () => {
    const folder = repository();
    const answer = await run(folder, work, []);
    expect(answer.code).toBe(0);
    expect(answer.stdout).toContain(done.text);
    expect(answer.stderr).toContain("denied");
    expect(get(folder, "sum.js")).toContain("a + b");
    expect(existsSync(join(folder, "draft.txt"))).toBe(true);
    const [id] = runs(folder);
    expect(answer.stderr).toContain(`forge replay ${join(folder, ".forge/runs", String(id))}`);
  });

  it("keeps file tools inside the folder: not by a path, not by a link", async () => {
    const folder = repository();
    const outside = emptyFolder({ "precious.txt": "mine\n" });
    symlinkSync(outside, join(folder, "way-out"));
    const secret = join(outside, "precious.txt");
    const tries: ScriptedReply = {
      calls: [
        { name: "read", args: { path: secret } },
        { name: "read", args: { path: "way-out/precious.txt" } },
        { name: "write", args: { path: "way-out/new.txt", content: "x" } },
        { name: "write", args: { path: "../escaped.txt", content: "x" } },
        { name: "edit", args: { path: "way-out/precious.txt", old_string: "mine", new_string: "yours" } },
      ],
    };
    const answer = await run(folder, [tries], ["--yes", "--json-stream"]);
    expect(answer.code).toBe(0);
    const replies = jsonLines(answer.stdout).filter((line) => line["t"] === "tool.result");
    expect(replies.map((line) => (line["d"] as { reply: { status: string } }).reply.status)).toEqual(Array(5).fill("denied"));
    expect(readdirSync(outside)).toEqual(["precious.txt"]);
    expect(get(outside, "precious.txt")).toBe("mine\n");
    expect(existsSync(join(folder, "../escaped.txt"))).toBe(false);
  });

  it("takes the task from standard input, and adds it to the one that is given", async () => {
    const folder = repository();
    server = await startModelServer({ always: () => done });
    const flags = ["--model", "openai/gpt-test", "--base-url", server.url, "--sandbox", "local", "--config", "bare"];
    await forge(["run", ...flags, "review this"], { cwd: folder, under: ["sh", "-c", 'printf "diff --git a b\\n" | "$@"', "sh"] });
    const messages = server.requests[0]?.body["messages"];
    expect(JSON.stringify(messages)).toContain("review this\\n\\ndiff --git a b");
  });

  it("ends at Ctrl-C with 130, in the middle of a command, with a sealed trace that replays", async () => {
    const folder = repository();
    server = await startModelServer({
      replies: [{ calls: [{ name: "bash", args: { command: "touch begun; sleep 3600; touch ended" } }] }],
      always: () => done,
    });
    const answer = await forge(
      ["run", "wait", "--model", "openai/gpt-test", "--base-url", server.url, "--sandbox", "local", "--yes", "--json"],
      {
        cwd: folder,
        started: (child) => {
          const timer = setInterval(() => {
            if (!existsSync(join(folder, "begun"))) return;
            clearInterval(timer);
            child.kill("SIGINT");
          }, 50);
          child.on("close", () => clearInterval(timer));
        },
      },
    );
    expect(answer.code, answer.stderr).toBe(130);
    expect(jsonLines(answer.stdout)).toMatchObject([{ type: "result", outcome: { type: "cancelled" } }]);
    expect(existsSync(join(folder, "ended"))).toBe(false);
    const [id] = runs(folder);
    expect(get(folder, `.forge/runs/${String(id)}/seal.json`)).toContain('"v":1');
    const replay = await forgeHere(["replay", ".forge/runs"], { cwd: folder });
    expect(replay.code, replay.stderr).toBe(0);
    expect(replay.stdout).toMatch(/exact \d+\/\d+/);
  });

  it("ends at Ctrl-C also while the model is silent", async () => {
    const folder = repository();
    let asked = (): void => undefined;
    server = await startModelServer({ replies: [() => (asked(), { silence: "hang" })] });
    const answer = await forge(["run", "wait", "--model", "openai/gpt-test", "--base-url", server.url, "--sandbox", "local", "--json"], {
      cwd: folder,
      started: (child) => (asked = () => void child.kill("SIGINT")),
    });
    expect(answer.code, answer.stderr).toBe(130);
    const replay = await forgeHere(["replay", ".forge/runs"], { cwd: folder });
    expect(replay.code, replay.stderr).toBe(0);
  });
});

describe("forge config show", () => {
  it("names for each value the file that set it", async () => {
    const folder = emptyFolder({
      "forge.yaml": "model: {name: local/mine, temperature: 0.5}\nlimits: {turns: 7}\n",
      ".forge/config.yaml": "limits: {turns: 9}\n",
    });
    git(folder, "init", "-q");
    const answer = await forgeHere(["config", "show", "--model", "openai/other", "--json"], { cwd: folder });
    expect(answer.code, answer.stderr).toBe(0);
    const [shown] = jsonLines(answer.stdout);
    const values = shown?.["values"] as { key: string; value: unknown; from: string }[];
    const of = (key: string): unknown => values.find((one) => one.key === key);
    expect(of("model.temperature")).toMatchObject({ value: 0.5, from: expect.stringContaining("forge.yaml") });
    expect(of("limits.turns")).toMatchObject({ value: 9, from: expect.stringContaining(".forge/config.yaml") });
    expect(of("model.name")).toMatchObject({ value: "openai/other", from: "the command line" });
    const table = await forgeHere(["config", "show"], { cwd: folder });
    expect(table.stdout).toContain("limits.turns");
  });
});

describe("forge", () => {
  it("says its version and shows its commands with examples", async () => {
    const folder = emptyFolder();
    expect(await forge(["--version"], { cwd: folder })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: "",
    });
    const help = await forge(["--help"], { cwd: folder });
    for (const command of ["bench", "compare", "replay", "run", "task", "config", "images"]) {
      expect(help.stdout).toContain(`  ${command}`);
      const own = await forgeHere([command, "--help"], { cwd: folder });
      expect(own.code).toBe(0);
      expect(own.stdout).toContain("Usage: forge");
    }
  });
});
