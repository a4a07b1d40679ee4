import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";
import { analystAt, analyzeWith, askedIn, failedRuns, ownFolder, replayed } from "./reading.ts";

const root = ownFolder();

const systemIn = ({ body }: ReceivedRequest): string =>
  JSON.stringify((body["messages"] as { role: string; content: unknown }[])[0]?.content); // as a client sends them

/** Names a cause for each of four runs, two clusters for them, and puts each into the one that fits. */
function sortedReply(request: ReceivedRequest): ScriptedReply {
  const system = systemIn(request);
  const asked = askedIn(request);
  if (system.includes("into mechanisms")) {
    const clusters = [
      { title: "It sums the wrong column\nof: [a table]", means: "Another column than the task names.", example: 1 },
      { title: "It never writes the result to a file", means: "The result is only said.", example: 2 },
    ];
    return { text: JSON.stringify({ clusters }) };
  }
  if (system.includes("to which mechanism")) {
    const wrong = (asked.split("Finding:").at(-1) ?? "").includes("column");
    return { text: JSON.stringify({ answers: [{ cluster: 1, belongs: wrong }, { cluster: 2, belongs: !wrong }] }) }; // prettier-ignore
  }
  const n = /table (\d)/.exec(asked)?.[1] ?? "0";
  const why = Number(n) % 2 === 0 ? "It summed the second column." : "It said the sum and wrote nothing.";
  const finding = {
    kind: Number(n) < 2 ? "wrong-cause" : "requirement-missed",
    seq: 6,
    quote: `column of table ${n} is 4`,
    why,
    lever: "longer-limit",
    confidence: "low",
  };
  return { text: JSON.stringify({ findings: [finding] }) };
}

describe("clusters by a model", () => {
  it("make issues of what it names alone, across kinds, with its titles in one line and a patch of our own levers", async () => {
    const server = await startModelServer({ always: sortedReply });
    try {
      const runs = failedRuns(join(root, "runs"), 4);
      const { analysis, issues, folder } = await analyzeWith(join(root, "out"), [runs], analystAt(server.url));
      const own = issues.filter(({ keys }) => keys.some((key) => key.includes('"analyst"')));
      expect(analysis.analyst).toMatchObject({ claims: 4, byKind: null });
      expect(Object.fromEntries(own.map(({ title, failed }) => [title, failed]))).toEqual({
        "It never writes the result to a file": 2,
        "It sums the wrong column of: a table": 2,
      });
      expect(own[0]).toMatchObject({ lever: "longer-limit", change: { limits: { turns: 75 } }, passed: 0 });
      expect(own[0]?.because).toContain("read failed runs only");
      expect(own[0]?.patch?.split("\n")[0]).toMatch(/^# .*It (?:never|sums)/);
      expect(server.requests).toHaveLength(4 + 1 + 4);
      expect(new Set(await replayed(folder))).toEqual(new Set(["exact"]));
    } finally {
      await server.close();
    }
  });

  it("leave findings grouped by kind where the model proposes nothing that can be read", async () => {
    const server = await startModelServer({
      always: (request) => (systemIn(request).includes("into mechanisms") ? { text: "I would rather not." } : sortedReply(request)),
    });
    try {
      const { analysis, issues } = await analyzeWith(join(root, "plain-out"), [failedRuns(join(root, "plain"), 4)], analystAt(server.url));
      expect(analysis.analyst?.byKind).toContain("no cluster that can be read");
      const titles = issues.filter(({ keys }) => keys.some((key) => key.includes('"analyst"'))).map(({ kind }) => kind);
      expect(titles.toSorted()).toEqual(["requirement-missed", "wrong-cause"]);
    } finally {
      await server.close();
    }
  });

  it("are asked for again where the service failed, and only then is the analysis done", async () => {
    let failing = true;
    const server = await startModelServer({
      always: (request) =>
        failing && systemIn(request).includes("to which mechanism") && askedIn(request).includes("second column")
          ? { status: 400, body: { error: { message: "No capacity for this request." } } }
          : sortedReply(request),
    });
    try {
      const [out, runs] = [join(root, "again-out"), failedRuns(join(root, "again"), 4)];
      const first = await analyzeWith(out, [runs], analystAt(server.url));
      expect(first.analysis.analyst?.byKind).toContain("No capacity");
      const journal = (): string => readFileSync(join(first.folder, "analysis.jsonl"), "utf8");
      expect(journal()).not.toContain('"t":"seal"');
      failing = false;
      const before = server.requests.length;
      const second = await analyzeWith(out, [runs], analystAt(server.url));
      expect(second.analysis.analyst?.byKind).toBeNull();
      expect(journal()).toContain('"t":"seal"');
      expect(server.requests.length - before).toBe(2);
    } finally {
      await server.close();
    }
  });

  it("count a run as won once, where an issue of the rules wins it already", async () => {
    const server = await startModelServer({ always: sortedReply });
    try {
      const said = [0, 1, 2, 3].map((n) => `the column of table ${n} is 4`).join(", ");
      const turn = { text: `I look again: ${said}.`, calls: [{ args: "cat table.csv", output: "a,b\n1,2\n3,4\n" }] };
      const runs = failedRuns(join(root, "once"), 4, { turns: [turn, turn, turn, turn, { text: "I am done." }] });
      const { issues } = await analyzeWith(join(root, "once-out"), [runs], analystAt(server.url));
      expect(Object.fromEntries(issues.map(({ title, gain, lost }) => [title, { gain, lost }]))).toEqual({
        "It never writes the result to a file": { gain: 0, lost: 2 },
        "It sums the wrong column of: a table": { gain: 0, lost: 2 },
        "Same bash call again": { gain: 4, lost: 4 },
      });
      expect(issues.at(-1)?.because).toContain("Of its runs 2 are counted as won by another issue");
    } finally {
      await server.close();
    }
  });
});
