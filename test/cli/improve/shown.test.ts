import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, emptyFolder, type Answer } from "../../e2e/forge.ts";
import { tellNoHashes } from "../../evals/bench-fixture.ts";
import { needs } from "../../needs.ts";
import { startModelServer, type ModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";
import { forgeHere } from "../forge-here.ts";

const cwd = emptyFolder();
const run = (...args: string[]): Promise<Answer> => forgeHere(args, { cwd });
/** A step that another one stands on. */
async function prepare(...args: string[]): Promise<void> {
  const { code, stderr } = await run(...args);
  if (code !== 0) throw new Error(`forge ${args.join(" ")}: ${stderr}`);
}
/** A fair suite of its kind: enough families and tasks for a verdict, the quickest ones. */
const testFamilies = "config-edit,failing-tests,git-merge,group-totals,json-reshape,last-sentence,log-answers,rename-refactor";

const suites = ["tasks", "helps/screen/tasks", "helps/test/tasks"].map((path) => join(cwd, path));

/** A model that knows the tasks' solutions, and runs one where it has bash alone; else it gives up. */
function reply({ body }: ReceivedRequest): ScriptedReply {
  const { messages, tools } = body as { messages: { role: string; content: unknown }[]; tools: unknown[] }; // as the client sends them
  if (messages.some(({ role }) => role === "assistant")) return { text: "Done." };
  const asked = JSON.stringify(messages);
  const task = suites
    .filter((suite) => existsSync(suite))
    .flatMap((suite) => readdirSync(suite).map((name) => join(suite, name)))
    .find((folder) => asked.includes(JSON.stringify(readFileSync(join(folder, "instruction.md"), "utf8").trim()).slice(1, -1)));
  if (task === undefined) return { text: "I do not know this task." };
  if (tools.length !== 1) return { text: "I give up." };
  return { calls: [{ name: "bash", args: { command: readFileSync(join(task, "solution/solve.sh"), "utf8") } }] };
}

describe.skipIf(needs("bubblewrap"))("an improvement with a verdict", { timeout: 1_200_000 }, () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({ always: reply });
    writeFileSync(join(cwd, "both.yaml"), "extends: bare\ntools: [bash, read]\n");
    writeFileSync(join(cwd, "bash.yaml"), "tools: [bash]\n");
    await prepare("task", "generate", "--family", `sql-report,${testFamilies}`, "--seeds", "1", "--level", "easy", "--out", "tasks");
    const model = ["--model", "local/scripted", "--base-url", server.url, "--sandbox", "bubblewrap"];
    await prepare("bench", "tasks", "--filter", "sql-report*", "--config", "both.yaml", ...model, "--out", "jobs/s");
    await prepare("analyze", "jobs/s");
    await prepare("issues", "edit", "1", "--patch", "bash.yaml");
    await prepare("issues", "accept", "1", "--base", "both.yaml");
    cpSync(join(cwd, ".forge/issues"), join(cwd, "issues"), { recursive: true });
  }, 600_000);
  afterAll(async () => {
    await server.close();
    cleanUp();
  });
  const improve = (testSeeds: string, ...more: string[]): Promise<Answer> =>
    run("improve", "jobs/s", "--tasks", "tasks", "--screen-seeds", "4", "--test-seeds", testSeeds, "--yes", ...more);
  const status = async (...store: string[]): Promise<unknown> =>
    (JSON.parse((await run("issues", "show", "1", "--json", ...store)).stdout) as { status: unknown }).status;

  it("that shows its change better exits 0 and completes the issue, which a run without the change does not reopen", async () => {
    const { code, stdout, stderr } = await improve("2", "--out", "helps");
    expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^both-improved is better than both /)]);
    expect(await status()).toBe("completed");
    await run("analyze", "jobs/s");
    expect(await status()).toBe("completed");
    expect((await run("issues", "apply", "1", "--to", "forge.yaml", "--yes")).code).toBe(0);
    expect((await improve("2", "--out", "helps")).code).toBe(0); // shown again, of the same plan
  });

  it("that shows its change worse on the test exits 1, and completes nothing", async () => {
    // Another plan, whose jobs have ended: those of the first one, where in the test each configuration scored what the other did.
    for (const part of ["screen", "test"]) cpSync(join(cwd, "helps", part), join(cwd, "harms", part), { recursive: true });
    const trials = join(cwd, "harms/test/job/trials");
    for (const task of readdirSync(trials))
      for (const part of ["result.json", "attempt-1/record.json"]) {
        const files = ["both", "both-improved"].map((name) => join(trials, task, name, "1", part));
        const records = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>);
        for (const [k, file] of files.entries()) {
          const { class: as, rewards, score, passed } = records[1 - k] ?? {};
          writeFileSync(file, JSON.stringify({ ...records[k], class: as, rewards, score, passed }));
        }
      }
    await tellNoHashes(join(cwd, "harms/test/job"));
    const store = ["--store", "issues"]; // as it was when the change was accepted
    const { code, stdout, stderr } = await improve("3", "--out", "harms", ...store);
    expect([code, stdout], stderr).toEqual([1, expect.stringMatching(/^both-improved is worse than both /)]);
    expect(await status(...store)).toBe("accepted");
  });
});
