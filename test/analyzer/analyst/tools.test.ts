import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startModelServer } from "../../servers/model-server.ts";
import type { ScriptedReply } from "../../servers/scripted-reply.ts";
import { analystAt, analyzeWith, failedRuns, ownFolder, replayed } from "./reading.ts";

const root = ownFolder();
const finding = {
  kind: "requirement-missed",
  seq: 6,
  why: "It never wrote the sum.",
  lever: "pre-completion-checklist",
  confidence: "medium",
};

/** A conversation as a careful reader has it, in the order of its turns. */
const script: readonly ScriptedReply[] = [
  {
    calls: [
      { name: "run_outline", args: {} },
      { name: "verifier_report", args: {} },
    ],
  },
  {
    calls: [
      { name: "run_diff", args: {} },
      { name: "run_search", args: { text: "COLUMN" } },
    ],
  },
  {
    calls: [
      { name: "run_read", args: { step: 2 } },
      { name: "run_read", args: { seq: 4_000 } },
      { name: "run_read", args: { step: 99 } },
    ],
  },
  { calls: [{ name: "submit_finding", args: { ...finding, quote: "The sum of the second column" } }] },
  { calls: [{ name: "submit_finding", args: { ...finding, quote: "The sum of the first column" } }] },
  { text: "It reported the sum and wrote no file." },
];

describe("an analyst with tools", () => {
  it("looks, is told of a quote that does not hold, hands in another, and replays exactly", async () => {
    const server = await startModelServer({ replies: script });
    try {
      const runs = failedRuns(join(root, "runs"), 1);
      const { analysis, folder } = await analyzeWith(join(root, "out"), [runs], analystAt(server.url, { form: "tools" }));
      expect(analysis.analyst).toMatchObject({
        form: "tools",
        read: 1,
        claims: 1,
        dropped: { "quote not in the event": 1 },
        unreadable: 0,
      });
      const own = analysis.findings.filter(({ source }) => source === "analyst");
      expect(own).toMatchObject([{ kind: "requirement-missed", seq: 6, step: 2, lever: "pre-completion-checklist" }]);
      const last = JSON.stringify(server.requests.at(-1)?.body["messages"]);
      for (const text of [
        "step 1 (seq 3, 4) bash: cat table-0.csv",
        "first difference: step 1",
        "seq 6: The sum of the first column of table 0 is 4",
        "There is no event 4000",
        "There is no step 99",
        "Dropped: quote not in the event",
        "Taken.",
      ])
        expect(last).toContain(text);
      expect(server.requests[0]?.body["tools"]).toHaveLength(6);
      expect(await replayed(folder)).toEqual(["exact"]);
    } finally {
      await server.close();
    }
  });

  /** The exchanges are written by hand from the providers' documentation: no provider was asked. */
  it.each([
    ["anthropic/claude-sonnet-5-5", "/v1/messages"],
    ["openai/gpt-5-mini", "/v1/chat/completions"],
  ])("speaks the wire of %s", async (name, path) => {
    const server = await startModelServer({ replies: script });
    try {
      const runs = failedRuns(join(root, `runs-${path.length}`), 1);
      const url = name.startsWith("anthropic") ? server.origin : server.url;
      const { analysis, folder } = await analyzeWith(join(root, `out-${path.length}`), [runs], analystAt(url, { form: "tools", name }));
      expect(analysis.analyst).toMatchObject({ model: name, read: 1, claims: 1, dropped: { "quote not in the event": 1 } });
      expect(server.requests.map((request) => request.path)).toEqual(script.map(() => path));
      expect(server.requests.some(({ body }) => Object.hasOwn(body, "temperature"))).toBe(false);
      expect(await replayed(folder)).toEqual(["exact"]);
    } finally {
      await server.close();
    }
  });

  it("pays for nothing twice: what was recorded before a process was ended is served, and only the rest is asked", async () => {
    const runs = failedRuns(join(root, "broken-runs"), 1);
    const out = join(root, "broken-out");
    const stop = new AbortController();
    const first = await startModelServer({
      replies: [
        ...script.slice(0, 3),
        () => {
          stop.abort();
          return { silence: "hang" };
        },
      ],
    });
    await expect(analyzeWith(out, [runs], analystAt(first.url, { form: "tools" }), stop.signal)).rejects.toThrow(/abort/i);
    await first.close();
    const second = await startModelServer({ replies: script.slice(3) });
    try {
      const { analysis, folder } = await analyzeWith(out, [runs], analystAt(second.url, { form: "tools" }));
      expect(second.requests).toHaveLength(3);
      expect(analysis.analyst).toMatchObject({ read: 1, claims: 1, dropped: { "quote not in the event": 1 } });
      expect(await replayed(folder)).toEqual(["exact"]);
    } finally {
      await second.close();
    }
  });
});
