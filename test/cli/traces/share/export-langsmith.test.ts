import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportToLangSmith } from "../../../../cli/traces/share/export-to-langsmith.ts";
import { runFixture } from "../../../../testing.ts";
import { startLangSmithServer, type LangSmithServer } from "../../../servers/langsmith-server.ts";
import { canaries, secretParts } from "../../../traces/canaries.ts";
import { writeRun } from "../../../traces/write-run.ts";
import { said } from "../../said.ts";

const key = "lsv2_pt_only_for_this_test";
const root = mkdtempSync(join(tmpdir(), "forge-langsmith-"));
let server: LangSmithServer;
let folders = 0;
const fresh = (): string => join(root, String(folders++));
beforeEach(async () => {
  server = await startLangSmithServer(key);
  vi.stubEnv("LANGSMITH_ENDPOINT", server.url);
  vi.stubEnv("LANGSMITH_API_KEY", key);
  vi.stubEnv("CANARY_TOKEN", canaries["environment"] ?? "");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A run of so many turns with so many calls each, and a folder from which it is exported. */
async function run(turns: number, text = "a line", calls = 1): Promise<{ folder: string; cwd: string }> {
  const script = [
    ...Array.from({ length: turns }, () => ({ calls: Array.from({ length: calls }, () => ({ name: "bash", args: { command: text } })) })),
    { text: "done" },
  ];
  const { events } = await runFixture({ task: text, script, exec: () => text });
  const verdict = { t: "verifier.result" as const, lane: "trial", n: 0, cause: [], d: { rewards: { reward: 1 }, passed: true } };
  const cwd = fresh();
  return { folder: writeRun(join(cwd, "run"), [...events, verdict]), cwd };
}
const send = ({ folder, cwd }: { folder: string; cwd: string }, o: { project?: string; force?: boolean; json?: boolean } = {}) =>
  said(() => exportToLangSmith([folder], { format: "langsmith", json: true, ...o }, cwd));

describe("forge traces export --format langsmith", () => {
  it("sends the tree of a run and its verdict to a project, in batches", async () => {
    const one = await run(40, "a line", 3);
    const { code, lines } = await send(one, { project: "mine" });
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ type: "run", project: "mine", nodes: 162, there: 0, exitCode: 0 });
    expect(server.requests.length).toBe(2);
    expect(server.runs.size).toBe(162);
    const root = server.runs.get(String(lines[0]?.["id"]));
    expect(root).toMatchObject({ run_type: "chain", session_name: "mine" });
    expect([...server.feedback.values()].map((one) => [one["key"], one["score"], one["run_id"]])).toEqual([
      ["reward", 1, root?.["id"]],
      ["passed", 1, root?.["id"]],
    ]);
  });

  it("makes nothing twice: a second export sends nothing, and one from elsewhere the same ids", async () => {
    const one = await run(3);
    await send(one);
    const before = { runs: [...server.runs.keys()], feedback: [...server.feedback.keys()] };
    const again = await send(one);
    expect(again.lines[0]).toMatchObject({ requests: 0, there: 3 });
    expect(server.requests.length).toBe(1);
    const elsewhere = await send({ ...one, cwd: fresh() });
    expect(elsewhere.lines[0]).toMatchObject({ requests: 3, there: 0 });
    expect({ runs: [...server.runs.keys()], feedback: [...server.feedback.keys()] }).toEqual(before);
  });

  it("goes on after a broken connection where it stood", async () => {
    const one = await run(40, "a line", 5);
    server.fail = (_, path) => (path === "/runs/batch" && server.requests.length >= 2 ? "break" : undefined);
    await expect(exportToLangSmith([one.folder], { format: "langsmith", retries: 0 }, one.cwd)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("run the same command again to resume") as unknown,
    });
    expect(server.runs.size).toBe(100);
    server.fail = () => undefined;
    expect((await send(one)).lines[0]).toMatchObject({ there: 1, nodes: 242 });
    expect(server.runs.size).toBe(242);
  });

  it("tries again when the server is busy, and takes what is there already for sent", async () => {
    server.fail = (n) => (n === 0 ? 503 : undefined);
    expect((await send(await run(1))).code).toBe(0);
    expect(server.runs.size).toBe(4);
    server.fail = (_, path) => (path === "/runs/batch" ? 409 : undefined);
    expect((await send(await run(2))).code).toBe(0);
  });

  it("does not lose a node to one that the server knows, and says how many it refused", async () => {
    const one = await run(3);
    await send(one);
    const all = [...server.runs.keys()];
    const [lost = "", other = ""] = all.slice(2);
    for (const id of [lost, other]) server.runs.delete(id);
    server.feedback.delete([...server.feedback.keys()][0] ?? "");
    server.keepsFirst = true;
    const cwd = fresh();
    const { code, lines } = await send({ ...one, cwd });
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ nodes: 8, requests: 3, there: 0, conflict: 7 });
    expect([...server.runs.keys()].toSorted()).toEqual(all.toSorted());
    expect(server.feedback.size).toBe(2);
    expect((await send({ ...one, cwd })).lines[0]).toMatchObject({ requests: 0, there: 3, conflict: 0 });
    expect((await send({ ...one, cwd: fresh() }, { json: false })).out).toContain(
      "8 nodes sent, 10 of them and of the verdicts refused (409)",
    );
  });

  it("makes nodes of their own in a second project", async () => {
    const one = await run(1);
    server.keepsFirst = true;
    const [mine, yours] = [await send(one, { project: "mine" }), await send(one, { project: "yours" })];
    expect(yours.lines[0]).toMatchObject({ requests: 3, there: 0, conflict: 0 });
    expect(yours.lines[0]?.["id"]).not.toBe(mine.lines[0]?.["id"]);
    const projects = [...server.runs.values()].map((node) => node["session_name"]);
    expect(projects).toEqual(["mine", "mine", "mine", "mine", "yours", "yours", "yours", "yours"]);
    expect(server.feedback.size).toBe(4);
  });

  it("takes nothing for sent that another key or workspace was acknowledged, and sends it all again with --force", async () => {
    const one = await run(1);
    await send(one);
    expect((await send(one)).lines[0]).toMatchObject({ requests: 0, there: 3 });
    vi.stubEnv("LANGSMITH_WORKSPACE_ID", "11111111-2222-4333-8444-555555555555");
    expect((await send(one)).lines[0]).toMatchObject({ requests: 3, there: 0 });
    expect((await send(one)).lines[0]).toMatchObject({ requests: 0, there: 3 });
    expect((await send(one, { force: true })).lines[0]).toMatchObject({ requests: 3, there: 0 });
    const file = readFileSync(join(one.cwd, ".forge", "exports", "langsmith.txt"), "utf8");
    expect(file.trim().split("\n")).toHaveLength(6);
    expect(file).not.toContain(key);
    vi.stubEnv("LANGSMITH_API_KEY", "lsv2_pt_another_key_of_nobody");
    await expect(exportToLangSmith([one.folder], { format: "langsmith" }, one.cwd)).rejects.toMatchObject({ exitCode: 3 });
  });

  it("asks nobody without a key, and says in one sentence what a wrong one needs", async () => {
    const one = await run(1);
    vi.stubEnv("LANGSMITH_API_KEY", "lsv2_pt_another_key_of_nobody");
    await expect(exportToLangSmith([one.folder], { format: "langsmith" }, one.cwd)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/401.*Check LANGSMITH_API_KEY/) as unknown,
    });
    vi.stubEnv("LANGSMITH_API_KEY", "");
    const asked = server.received().length;
    await expect(exportToLangSmith([one.folder], { format: "langsmith" }, one.cwd)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("LANGSMITH_API_KEY is not set") as unknown,
    });
    expect(server.received().length).toBe(asked);
  });

  it("sends no secret, and says what was taken out by kind", async () => {
    const all = Object.values(canaries).join("\n");
    const { code, lines, out } = await send(await run(2, all));
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ takenOut: { "known value": expect.any(Number) as unknown } });
    for (const secret of secretParts) {
      expect(server.received()).not.toContain(secret);
      expect(out).not.toContain(secret);
    }
  });
});
