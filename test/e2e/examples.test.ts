import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadUserMiddleware } from "../../harness/config/middleware/load-user-middleware.ts";
import { runFixture } from "../../testing.ts";
import { needs } from "../needs.ts";
import { built, cleanUp, emptyFolder, forge, jsonLines } from "./forge.ts";

const examples = join(import.meta.dirname, "../../examples");

async function example(name: string, options: object) {
  const { definition } = await loadUserMiddleware(`./${name}`, examples);
  return definition.create(definition.options.parse(options));
}

describe("the example middlewares", () => {
  it("tests-before-done sends the agent back with the output while its command fails, twice at most", async () => {
    const gate = await example("tests-before-done.ts", { command: "sh test.sh" });
    const exec = () => ({ stdout: "2 of 3 tests fail\n", exitCode: 1 });
    const run = await runFixture({ middleware: [gate], script: [{ text: "DONE" }, { text: "DONE" }, { text: "DONE" }], exec });
    expect(run.interventions.map((one) => `${one.name} ${one.phase}: ${one.why}`)).toEqual([
      "tests-before-done finish: exit code 1",
      "tests-before-done finish: exit code 1",
    ]);
    expect(JSON.stringify(run.requests.at(-1))).toContain("2 of 3 tests fail");
    expect((await run.replay()).exact).toBe(true);
  });

  it("short-results cuts the middle of a long result, and leaves a short one alone", async () => {
    const cut = await example("short-results.ts", { characters: 200 });
    const tools = { bash: ({ args }: { args: Readonly<Record<string, unknown>> }) => String(args["command"]).repeat(100) };
    const bash = (command: string) => ({ calls: [{ name: "bash", args: { command } }] });
    const run = await runFixture({ middleware: [cut], script: [bash("ab"), bash("abcd"), { text: "DONE" }], tools });
    expect(run.interventions.map((one) => one.why)).toEqual(["200 characters over 200"]);
    expect(JSON.stringify(run.requests.at(-1))).toContain("[200 characters left out; grep for what you need]");
    expect((await run.replay()).exact).toBe(true);
  });
});

describe.skipIf(needs("bubblewrap"))("the example task and configurations", () => {
  beforeAll(built);
  afterAll(cleanUp);

  it("hold in the gate, are benched, and replay exactly", { timeout: 180_000 }, async () => {
    const folder = emptyFolder();
    cpSync(examples, folder, { recursive: true });
    const task = join("tasks", "longest-line");
    const check = await forge(["task", "check", task, "--sandbox", "bubblewrap"], { cwd: folder });
    expect(check.code, check.stdout + check.stderr).toBe(0);
    const configs = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
    expect(configs).toEqual(["small-model.yaml", "tested.yaml"]);
    const bench = await forge(
      ["bench", task, ...configs.flatMap((name) => ["--config", name]), "--model", "sim/careless", "--sandbox", "bubblewrap"].concat([
        "--out",
        "job",
        "--json",
      ]),
      { cwd: folder },
    );
    expect(bench.code, bench.stderr).toBe(0);
    expect(jsonLines(bench.stdout).filter((event) => event["type"] === "trial.end")).toHaveLength(2);
    const replay = await forge(["replay", "job"], { cwd: folder });
    expect(replay.code, replay.stdout).toBe(0);
    expect(replay.stdout).toContain("2 exact");
  });
});
