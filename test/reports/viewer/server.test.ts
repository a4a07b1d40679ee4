import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { thisOwner } from "../../../harness/sandbox/owner.ts";
import type { JobAnswer } from "../../../reports/viewer/api.ts";
import { suite } from "../../evals/compare/scored-job.ts";
import { writeRun } from "../../traces/write-run.ts";
import { smallPages, startViewer, temporary, trialEvents, writeJob, type RunningViewer } from "./viewer-fixture.ts";

let folder: string;
let viewer: RunningViewer;
const first = "jobs/a/trials/t00/bare/1/attempt-1";

beforeAll(async () => {
  folder = temporary();
  const events = await trialEvents({ task: "Shop.", says: "I look.", answer: "milk\nbread\n", loops: true });
  const others = await trialEvents({ task: "Shop.", says: "I look.", answer: "milk\nbread\n" });
  await writeJob(join(folder, "jobs", "a"), { bare: suite(20, (i) => i % 2, 2), careful: suite(20, () => 1, 2) }, { eventsOf: async ({ configuration }) => (configuration === "bare" ? events : others) }); // prettier-ignore
  writeFileSync(join(folder, "secret.txt"), "not yours");
  writeRun(join(folder, "elsewhere"), events);
  viewer = await startViewer([join(folder, "jobs")], smallPages(join(folder, "pages")));
});
afterAll(async () => {
  await viewer.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** `fetch` sets its own host. */
function raw(path: string, headers: Record<string, string>, method = "GET"): Promise<{ status: number; text: string }> {
  const url = new URL(viewer.origin);
  return new Promise((settle, fail) => {
    const asked = request({ host: url.hostname, port: url.port, path, method, headers }, (answer) => {
      let text = "";
      answer.on("data", (piece: Buffer) => (text += piece.toString("utf8")));
      answer.on("end", () => settle({ status: answer.statusCode ?? 0, text }));
    });
    asked.on("error", fail);
    asked.end();
  });
}
const json = async <T>(path: string): Promise<T> => (await (await viewer.ask(path)).json()) as T;

describe("who may ask the viewer's server", () => {
  const token = { authorization: `Bearer ${"t".repeat(32)}` };

  it("answers nothing from disk without the token, or with another one", async () => {
    for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "t".repeat(32) }, { cookie: `token=${"t".repeat(32)}` }])
      expect((await raw("/api/jobs", headers as Record<string, string>)).status).toBe(401);
    expect((await raw("/api/jobs", token)).status).toBe(200);
  });

  it("answers to its own address alone, whatever name leads to it", async () => {
    const { port } = new URL(viewer.origin);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${Number(port) + 1}`,
      `127.0.0.1:${port}.evil.example`,
    ])
      for (const path of ["/", "/api/jobs"]) expect([400, 421], host).toContain((await raw(path, { ...token, host })).status);
    expect((await raw("/api/jobs", { ...token, host: `localhost:${port}` })).status).toBe(200);
  });

  it("answers to no other page", async () => {
    expect((await raw("/api/jobs", { ...token, origin: "http://evil.example" })).status).toBe(403);
    expect((await raw("/api/jobs", { ...token, origin: "null" })).status).toBe(403);
    expect((await raw("/api/jobs", { ...token, "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await raw("/api/jobs", { ...token, "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await raw("/api/jobs", { ...token, origin: viewer.origin, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it("forbids its pages to fetch, frame or run anything of others", async () => {
    const { headers } = await fetch(viewer.origin);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it("changes nothing: other methods meet nothing, and no file is another one afterwards", async () => {
    const before = state(folder);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const path of ["/api/jobs", "/api/job?at=jobs/a", "/api/run?at=x"]) expect((await raw(path, token, method)).status).toBe(404);
    await json("job/rest?at=jobs/a");
    await json("job/verdict?at=jobs/a");
    await json("job/rows?at=jobs/a");
    await json(`run?at=${first}`);
    expect(state(folder)).toEqual(before);
  });

  it("reads nothing besides what it was asked to show: no step up, no absolute path, no link out of it", async () => {
    const outside = join(folder, "jobs", "link");
    symlinkSync(join(folder, "elsewhere"), outside);
    for (const at of ["../secret.txt", "elsewhere", join(folder, "elsewhere"), "jobs/../elsewhere", "jobs/link", "/etc", "", "jobs/a\0"])
      for (const path of ["run", "job", "job/rows", "run/entries"])
        expect((await viewer.ask(`${path}?at=${encodeURIComponent(at)}`)).status, `${path} ${at}`).toBe(404);
    rmSync(outside);
    for (const path of ["/assets/../../secret.txt", "/..%2fsecret.txt", "/assets/%2e%2e/%2e%2e/secret.txt"])
      expect((await raw(path, {})).text).not.toContain("not yours");
  });
});

describe("what the server answers", () => {
  it("gives the first rows of a job before all of its trials are read, and in the order of what they tell when they are", async () => {
    const rows = await json<{ total: number; order: string; items: { task: string; html: string[] }[] }>("job/rows?at=jobs/a&count=3&order=name"); // prettier-ignore
    expect(rows).toMatchObject({ total: 20, order: "name" });
    expect(rows.items.map(({ task }) => task)).toEqual(["t00", "t01", "t02"]);
    expect(rows.items[0]?.html[0]).toContain(`href="run/${first}/"`);
    const told = await json<{ items: { task: string }[] }>("job/rows?at=jobs/a&count=20&order=difference");
    expect(told.items.slice(0, 10).map(({ task }) => Number(task.slice(1)) % 2)).toEqual(Array(10).fill(0));
  });

  it("says the verdict of forge compare, and nothing of it while the job runs", async () => {
    expect(await json("job/verdict?at=jobs/a")).toMatchObject({
      headline: expect.stringMatching(/^careful is better than bare/) as string,
    });
    expect(existsSync(join(folder, "jobs", "ledger.jsonl"))).toBe(false);
  });

  it("holds several jobs against each other once none of them runs, and says which has no result yet", async () => {
    const [b, c] = ["b", "c"].map((name) => join(folder, "jobs", name)) as [string, string];
    await writeJob(b, { thorough: suite(20, () => 1, 2) });
    await writeJob(c, { hasty: suite(20, () => 0, 2) });
    const asked = (...names: string[]) => json<JobAnswer>(`compare?${names.map((name) => `at=jobs/${name}`).join("&")}`);
    const { headline, lines, sections } = await asked("a", "b");
    expect(headline).toMatch(/^(careful|thorough) is better than 1 of the 2 others; no difference shown for 1 /);
    expect(lines.join("\n")).toMatch(/thorough is better than bare/);
    expect(sections.map(({ id }) => id)).toEqual(["differences"]);
    const { sections: rest } = await json<JobAnswer>("compare/rest?at=jobs/a&at=jobs/b");
    expect(rest.map(({ id }) => id)).toEqual(expect.arrayContaining(["tasks", "configurations", "flips", "reproduce"]));
    rmSync(join(c, "trials"), { recursive: true });
    expect(await asked("b", "c")).toMatchObject({ headline: expect.stringMatching(/^No trial has ended yet in .*c\.$/) as string, sections: [] }); // prettier-ignore
    writeFileSync(join(c, "runner.1.json"), JSON.stringify({ ...thisOwner(), released: false }));
    expect(await asked("a", "c")).toMatchObject({ headline: expect.stringMatching(/^Still running/) as string, sections: [] });
    for (const one of [b, c]) rmSync(one, { recursive: true });
  });

  it("names a damaged result among the warnings of a comparison", async () => {
    const d = join(folder, "jobs", "d");
    await writeJob(d, { hasty: suite(20, () => 0, 2) });
    const damaged = join(d, "trials", "t00", "hasty", "1", "result.json");
    writeFileSync(damaged, "{");
    const named = [expect.stringContaining("d is not finished"), expect.stringContaining(damaged)] as string[];
    expect(await json("compare?at=jobs/a&at=jobs/d")).toMatchObject({ warnings: named });
    rmSync(d, { recursive: true });
  });

  it("narrows trials down by words and by how they ended", async () => {
    const found = await json<{ total: number; items: { task: string; passed: boolean }[] }>("job/trials?at=jobs/a&text=t00%20bare&outcome=failed"); // prettier-ignore
    expect(found).toMatchObject({ total: 2, items: [{ task: "t00", passed: false }, { task: "t00", passed: false }] }); // prettier-ignore
  });

  it.each([
    ["damaged", () => "{ not json", "is not the record of a trial"],
    [
      "changed to contradict itself",
      (whole: string) => whole.replace(/"score":1,/, '"score":7,'),
      "contradicts itself: score 7 with a reward of 1",
    ],
    ["put into another trial's place", (whole: string) => whole.replace('"repeat":2', '"repeat":1'), "which belongs elsewhere"],
  ])("goes on without a trial whose record was %s, and names it", async (_, change, says) => {
    const path = join(folder, "jobs", "a", "trials", "t19", "careful", "2", "result.json");
    const whole = readFileSync(path, "utf8");
    const other = await startViewer([join(folder, "jobs")], join(folder, "pages"));
    try {
      writeFileSync(path, change(whole));
      const rows = (await (await other.ask("job/rows?at=jobs/a&order=difference&count=20")).json()) as { total: number };
      expect(rows.total).toBe(20);
      const head = (await (await other.ask("job?at=jobs/a")).json()) as { damaged: string[] };
      expect(head.damaged).toEqual([expect.stringContaining(says)]);
    } finally {
      writeFileSync(path, whole);
      await other.close();
    }
  });

  it("tells a job that cannot be read in the list, and shows the others", async () => {
    mkdirSync(join(folder, "jobs", "broken"));
    writeFileSync(join(folder, "jobs", "broken", "lock.json"), "{}");
    const list = await json<{ jobs: { name: string }[]; damaged: string[] }>("jobs");
    expect(list.jobs).toHaveLength(1);
    expect(list.damaged).toEqual([expect.stringContaining("lock.json cannot be read")]);
    rmSync(join(folder, "jobs", "broken"), { recursive: true });
  });

  it("shows a trace up to where it is damaged, and says so", async () => {
    const run = join(folder, "jobs", "a", "trials", "t01", "bare", "1", "attempt-1");
    const lines = readFileSync(join(run, "trace.jsonl"), "utf8").split("\n");
    writeFileSync(join(run, "trace.jsonl"), [...lines.slice(0, 6), lines[6]?.replace("milk", "silk"), ...lines.slice(7)].join("\n"));
    const answer = await json<{ entries: number; events: number; damaged: string }>("run?at=jobs/a/trials/t01/bare/1/attempt-1");
    expect(answer.damaged).toMatch(/is damaged at byte \d+ \(event \d+\)/);
    expect(answer.events).toBeGreaterThan(3);
    expect(answer.entries).toBeGreaterThan(1);
  });

  it("shows what is there of a run that is still written, and the rest once it is", async () => {
    const run = join(folder, "jobs", "growing");
    writeRun(run, await trialEvents({ task: "Grow.", says: "I look.", answer: "x" }));
    const lines = readFileSync(join(run, "trace.jsonl"), "utf8");
    const cut = lines.indexOf("\n", 900) + 30;
    rmSync(join(run, "seal.json"));
    writeFileSync(join(run, "trace.jsonl"), lines.slice(0, cut));
    const before = await json<{ entries: number; state: string; verdict: string }>("run?at=jobs/growing");
    expect(before).toMatchObject({ state: "cut off", damaged: null });
    appendFileSync(join(run, "trace.jsonl"), lines.slice(cut));
    const after = await json<{ entries: number; verdict: string }>("run?at=jobs/growing");
    expect(after.entries).toBeGreaterThan(before.entries);
    expect(after.verdict).toBe("done");
    rmSync(run, { recursive: true });
  });

  it("sends a long text in pieces that make the whole again", async () => {
    const run = join(folder, "jobs", "long");
    const line = "0123456789".repeat(40_000);
    writeRun(run, await trialEvents({ task: "Long.", says: "I look.", answer: line }));
    type Entry = { index: number; result?: { body: { text: string; size: number } } };
    const { items } = await json<{ items: Entry[] }>("run/entries?at=jobs/long");
    const entry = items.find(({ result }) => (result?.body.size ?? 0) >= line.length);
    expect(entry?.result?.body.text.length).toBeLessThan(2000);
    let text = "";
    for (let size = 1; text.length < size;) {
      const piece = await json<{ text: string; size: number }>(
        `run/text?at=jobs/long&entry=${entry?.index}&part=result&from=${text.length}`,
      );
      text += piece.text;
      size = piece.size;
    }
    expect(text).toBe(line);
    rmSync(run, { recursive: true });
  });

  it("finds a text wherever in a run it stands, also behind what the list shows of it", async () => {
    const run = join(folder, "jobs", "found");
    writeRun(run, await trialEvents({ task: "Find.", says: "I look.", answer: `${"line\n".repeat(3000)}The NEEDLE\n` }));
    const { entries } = await json<{ entries: number[] }>("run/search?at=jobs/found&text=needle");
    const { items } = await json<{ items: { head: string }[] }>(`run/entries?at=jobs/found&from=${entries[0]}&count=1`);
    expect(entries).toHaveLength(1);
    expect(items[0]?.head).toBe("bash");
    expect(await json("run/search?at=jobs/found&text=nowhere-in-it")).toEqual({ entries: [], more: false });
    rmSync(run, { recursive: true });
  });

  it("leads from any event to the entry that tells it", async () => {
    type Entry = { index: number; seq: number; result?: { seq: number } };
    const { items } = await json<{ items: Entry[] }>(`run/entries?at=${first}`);
    for (const { index, seq, result } of items) {
      expect(await json(`run/entry-of?at=${first}&seq=${seq}`)).toEqual({ entry: index });
      if (result) expect(await json(`run/entry-of?at=${first}&seq=${result.seq}`)).toEqual({ entry: index });
    }
  });

  it("shows an edit as what goes and what comes", async () => {
    const { items } = await json<{ items: { head: string; body: { text: string; diff?: true } }[] }>(`run/entries?at=${first}`);
    const edit = items.find(({ head }) => head === "edit");
    expect(edit?.body).toMatchObject({ diff: true, text: "--- notes.txt\n+++ notes.txt\n milk\n-bread\n+cheese" });
  });

  it("says where two runs part", async () => {
    const other = "jobs/a/trials/t00/careful/1/attempt-1";
    type Side = { part: number; says: string; place: string };
    const { says, a, b } = await json<{ says: string; a: Side; b: Side }>(`diff?a=${first}&b=${other}`);
    expect(says).toBe("The model's replies part at turn 3.");
    expect([a.says, b.says]).toEqual(['bash {"command":"make check"}', "Done."]);
    for (const { part, place } of [a, b]) {
      const { items } = await json<{ items: { kind: string; turn: number }[] }>(`run/entries?at=${place}&from=${part}&count=1`);
      expect(items[0]).toMatchObject({ kind: "model", turn: 3 });
    }
    expect(await json(`diff?a=${first}&b=${first}`)).toMatchObject({ says: "The same run, event by event.", a: { part: null } });
  });

  it("answers every fault of a question with a finished sentence", async () => {
    for (const [path, status] of [
      ["job/task?at=jobs/a&task=none", 404],
      ["run/text?at=" + first + "&entry=9999", 404],
      ["run", 400],
      ["nothing", 404],
      ["compare?at=jobs/a", 400],
      ["compare?at=jobs/a&at=jobs/none", 404],
      ["blast?id=x", 404],
    ] as const) {
      // prettier-ignore
      const answer = await viewer.ask(path);
      expect(answer.status, path).toBe(status);
      expect(((await answer.json()) as { error: string }).error).toMatch(/^[A-Z].*\.$/s);
    }
    const asked = await viewer.ask("blast", { method: "POST", body: JSON.stringify({ config: " ", at: [] }) });
    expect([asked.status, await asked.json()]).toEqual([400, { error: "Name a configuration: the path of a file, or a preset." }]);
  });
});

/** Every file below a folder, with its time and size. */
const state = (path: string): string[] =>
  (readdirSync(path, { recursive: true }) as string[]).map((name) => `${name} ${statSync(join(path, name)).mtimeMs} ${statSync(join(path, name)).size}`); // prettier-ignore
