import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { partOf } from "../../../analyzer/improve/split.ts";
import { built, cleanUp, emptyFolder, forge, type Answer } from "../../e2e/forge.ts";
import { needs } from "../../needs.ts";
import { startModelServer, type ModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";

const cwd = emptyFolder();
const run = (...args: string[]): Promise<Answer> => forge(args, { cwd });
/** A step that another one stands on. */
async function prepare(...args: string[]): Promise<void> {
  const { code, stderr } = await run(...args);
  if (code !== 0) throw new Error(`forge ${args.join(" ")}: ${stderr}`);
}
/** A fair suite of its kind: enough families and tasks for a verdict, the quickest ones. */
const testFamilies = "config-edit,failing-tests,git-merge,group-totals,json-reshape,last-sentence,log-answers,rename-refactor";

const suites = ["tasks", ...["harms", "helps"].flatMap((out) => [`${out}/screen/tasks`, `${out}/test/tasks`])].map((path) =>
  join(cwd, path),
);

/** Which of the two configurations solves a task: the one that offers bash alone, or the other. */
let solvesWith: { readonly develop: "bash" | "both"; readonly test: "bash" | "both" };
/** A model that knows the tasks' solutions, and runs one where it is to solve a task; else it gives up. */
function reply({ body }: ReceivedRequest): ScriptedReply {
  const { messages, tools } = body as { messages: { role: string; content: unknown }[]; tools: unknown[] }; // as the client sends them
  if (messages.some(({ role }) => role === "assistant")) return { text: "Done." };
  const asked = JSON.stringify(messages);
  const task = suites
    .filter((suite) => existsSync(suite))
    .flatMap((suite) => readdirSync(suite).map((name) => join(suite, name)))
    .find((folder) => asked.includes(JSON.stringify(readFileSync(join(folder, "instruction.md"), "utf8").trim()).slice(1, -1)));
  if (task === undefined) return { text: "I do not know this task." };
  const family = /^family = "(.*)"/m.exec(readFileSync(join(task, "task.toml"), "utf8"))?.[1] ?? "";
  if (solvesWith[partOf(family)] !== (tools.length === 1 ? "bash" : "both")) return { text: "I give up." };
  return { calls: [{ name: "bash", args: { command: readFileSync(join(task, "solution/solve.sh"), "utf8") } }] };
}

describe.skipIf(needs("bubblewrap"))("an improvement with a verdict", { timeout: 1_200_000 }, () => {
  let server: ModelServer;
  beforeAll(async () => {
    await built();
    server = await startModelServer({ always: reply });
    writeFileSync(join(cwd, "both.yaml"), "extends: bare\ntools: [bash, read]\n");
    writeFileSync(join(cwd, "bash.yaml"), "tools: [bash]\n");
    await prepare("task", "generate", "--family", `sql-report,${testFamilies}`, "--seeds", "1", "--level", "easy", "--out", "tasks");
    solvesWith = { develop: "bash", test: "bash" };
    const model = ["--model", "local/scripted", "--base-url", server.url, "--sandbox", "bubblewrap"];
    await prepare("bench", "tasks", "--filter", "sql-report*", "--config", "both.yaml", ...model, "--out", "jobs/s");
    await prepare("analyze", "jobs/s");
    await prepare("issues", "edit", "1", "--patch", "bash.yaml");
    await prepare("issues", "accept", "1", "--base", "both.yaml");
  }, 600_000);
  afterAll(async () => {
    await server.close();
    cleanUp();
  });
  const improve = (out: string): Promise<Answer> =>
    run("improve", "jobs/s", "--tasks", "tasks", "--screen-seeds", "4", "--test-seeds", out === "helps" ? "2" : "3", "--yes", "--out", out);
  const status = async (): Promise<unknown> =>
    (JSON.parse((await run("issues", "show", "1", "--json")).stdout) as { status: unknown }).status;

  it("that shows its change worse on the test exits 1, and completes nothing", async () => {
    solvesWith = { develop: "bash", test: "both" };
    const { code, stdout, stderr } = await improve("harms");
    expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/^both-improved is worse than both /)]);
    expect(await status()).toBe("accepted");
  });

  it("that shows its change better exits 0 and completes the issue, which a run without the change does not reopen", async () => {
    solvesWith = { develop: "bash", test: "bash" };
    const { code, stdout, stderr } = await improve("helps");
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^both-improved is better than both /)]);
    expect(await status()).toBe("completed");
    await run("analyze", "jobs/s");
    expect(await status()).toBe("completed");
    expect((await run("issues", "apply", "1", "--to", "forge.yaml", "--yes")).code).toBe(0);
    expect((await improve("helps")).code).toBe(0); // shown again, of the same plan
  });
});
