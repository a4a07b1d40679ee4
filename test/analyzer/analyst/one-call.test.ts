import { existsSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analysisSchema } from "../../../analyzer/contract.ts";
import { startStrictResponses } from "../../servers/strict/strict-responses.ts";
import { startModelServer, type ModelServer } from "../../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../../servers/scripted-reply.ts";
import { analystAt, analyzeWith, askedIn, failedRuns, ownFolder, replayed } from "./reading.ts";

const root = ownFolder();

/** Reads the second column where it should be the first: cites what the run said last. */
const misread = (request: ReceivedRequest): ScriptedReply => {
  const n = /sum-|table (\d)/.exec(askedIn(request))?.[1] ?? "0";
  const finding = {
    kind: "wrong-cause",
    seq: 6,
    quote: `The sum of the first column of table ${n} is 4`,
    why: "It summed the wrong column.",
    lever: "rubric-verifier-second-look",
    confidence: "high",
  };
  const invented = { ...finding, quote: "It deleted all of the tests in the folder" };
  const nowhere = { ...finding, seq: 999 };
  const foreign = { ...finding, kind: "stupidity" };
  return {
    text: `Here it is:\n\`\`\`json\n${JSON.stringify({ findings: [finding, invented, nowhere, foreign] })}\n\`\`\``,
    usage: { input: 900, output: 60 },
  };
};

async function serving(always: (request: ReceivedRequest) => ScriptedReply, act: (server: ModelServer) => Promise<void>): Promise<void> {
  const server = await startModelServer({ always });
  try {
    await act(server);
  } finally {
    await server.close();
  }
}

describe("an analyst that reads a run in one call", () => {
  it("adds cited findings beside those of the rules, drops and counts the others, and every call replays exactly", () =>
    serving(misread, async (server) => {
      const runs = failedRuns(join(root, "cited"), 3);
      const without = await analyzeWith(join(root, "cited-rules"), [runs]);
      const { analysis, folder, issues } = await analyzeWith(join(root, "cited-out"), [runs], analystAt(server.url));
      expect(analysisSchema.parse(analysis)).toEqual(analysis);
      const own = analysis.findings.filter(({ source }) => source === "analyst");
      expect(own).toHaveLength(3);
      expect(own[0]).toMatchObject({ kind: "wrong-cause", step: 2, seq: 6, lever: "rubric-verifier-second-look", detector: "analyst" });
      expect(analysis.analyst).toMatchObject({
        read: 3,
        claims: 3,
        dropped: { "quote not in the event": 3, "no such event": 3, "kind or lever not in the list": 3 },
        unreadable: 0,
        input: 3600,
      });
      const rest = analysis.findings.filter(({ source }) => source !== "analyst");
      expect(rest.map(({ rank: _, ...finding }) => finding)).toEqual(without.analysis.findings.map(({ rank: _, ...finding }) => finding));
      expect(issues.some(({ keys }) => keys.some((key) => key.includes("analyst")))).toBe(true);
      expect(server.requests).toHaveLength(4); // three runs, and clusters once
      expect(server.requests[0]?.body["response_format"]).toMatchObject({ type: "json_schema" });
      expect(await replayed(folder)).toEqual(["exact", "exact", "exact", "exact"]);
    }));

  it("asks nothing again of what was recorded to its end, of what was torn behind the reply, or of a sealed analysis", () =>
    serving(misread, async (server) => {
      const runs = failedRuns(join(root, "torn"), 3);
      const out = join(root, "torn-out");
      const first = await analyzeWith(out, [runs], analystAt(server.url));
      await analyzeWith(out, [runs], analystAt(server.url));
      expect(server.requests).toHaveLength(4); // three runs, and clusters once

      const asked = join(first.folder, "analyst");
      const [whole = "", torn = ""] = readdirSync(asked);
      rmSync(join(asked, torn, "1", "seal.json"));
      const trace = join(asked, torn, "1", "trace.jsonl");
      const lines = readFileSync(trace, "utf8").split("\n");
      const kept = lines.slice(0, lines.findIndex((line) => line.includes('"t":"model.response"')) + 1).join("\n");
      truncateSync(trace, Buffer.byteLength(kept) + 1 + 30); // the reply arrived, and half of what came after it
      const journal = join(first.folder, "analysis.jsonl");
      const before = readFileSync(journal, "utf8").split("\n");
      truncateSync(
        journal,
        Buffer.byteLength(
          before
            .slice(
              0,
              before.findIndex((line) => line.startsWith('{"t":"analyst"')),
            )
            .join("\n"),
        ) + 1,
      );
      const second = await analyzeWith(out, [runs], analystAt(server.url));
      expect(server.requests).toHaveLength(4); // three runs, and clusters once
      expect(second.analysis.findings).toEqual(first.analysis.findings);
      expect(existsSync(join(asked, whole, "1", "seal.json"))).toBe(true);
      expect(readdirSync(join(asked, torn))).toEqual(["2"]);
      expect(await replayed(first.folder)).toEqual(["exact", "exact", "exact", "exact"]);
    }));

  it("keeps within its cost, says which runs were not read, and goes on with more", () =>
    serving(misread, async (server) => {
      const runs = failedRuns(join(root, "dear"), 4);
      const out = join(root, "dear-out");
      const priced = { name: "openai/gpt-4.1", priceOf: ({ input }: { input: number }) => input / 1e5 };
      const { analysis } = await analyzeWith(out, [runs], analystAt(server.url, { ...priced, maxCostUsd: 0.2 }));
      expect(analysis.analyst?.read).toBe(2);
      expect(analysis.analyst?.unread[0]).toMatchObject({ why: "--max-cost is reached" });
      const paid = server.requests.length;
      const more = await analyzeWith(out, [runs], analystAt(server.url, { ...priced, maxCostUsd: 20 }));
      expect(more.analysis.analyst).toMatchObject({ read: 4, unread: [] });
      expect(server.requests).toHaveLength(6); // four runs, and clusters of two and of four
      expect(paid).toBe(3);
    }));

  it("leaves a run unread that a failing service did not answer, and asks for it the next time", async () => {
    const runs = failedRuns(join(root, "failing"), 1);
    await serving(
      () => ({ status: 401, body: { error: { message: "wrong key" } } }),
      async (server) => {
        await expect(analyzeWith(join(root, "failing-out"), [runs], analystAt(server.url))).rejects.toThrow(/wrong key|key/);
      },
    );
    await serving(misread, async (server) => {
      const { analysis } = await analyzeWith(join(root, "failing-out"), [runs], analystAt(server.url));
      expect(analysis.analyst).toMatchObject({ read: 1, claims: 1 });
    });
  });

  it("takes a quote whose white space was folded or that spans a cut for what the event has, and no other", () =>
    serving(
      (request) => {
        const n = /table (\d)/.exec(askedIn(request))?.[1] ?? "0";
        const claim = { seq: 4, why: "It says so.", kind: "wrong-cause", lever: "none", confidence: "low" };
        const findings = [
          { ...claim, quote: `bash:  the table ${n} has two columns and two rows` },
          { ...claim, quote: `the table ${n} has [… 12 characters left out …] and two rows of whole numbers` },
          { ...claim, quote: `the table ${n} has three columns and two rows` },
        ];
        return { text: JSON.stringify({ findings }) };
      },
      async (server) => {
        const runs = failedRuns(join(root, "folded"), 1, {
          turns: [
            { calls: [{ args: "cat table", output: "the table 0 has\n  two columns\nand two rows  of whole numbers" }] },
            { text: "Done." },
          ],
        });
        const { analysis } = await analyzeWith(join(root, "folded-out"), [runs], analystAt(server.url));
        const quotes = analysis.findings.filter(({ source }) => source === "analyst").map(({ quote }) => quote);
        expect(quotes).toEqual(["the table 0 has\n  two columns\nand two rows", "and two rows  of whole numbers"]);
        expect(analysis.analyst?.dropped).toEqual({ "quote not in the event": 1 });
      },
    ));

  it("asks in words alone where the server takes no schema, says so once, and replays exactly", () =>
    serving(
      (request) =>
        request.body["response_format"] === undefined
          ? misread(request)
          : { status: 400, body: { error: { message: "This response_format type is unavailable now", type: "invalid_request_error" } } },
      async (server) => {
        let said = 0;
        const analyst = analystAt(server.url, { parallel: 1, onSchemaRefused: () => said++ });
        const { analysis, folder } = await analyzeWith(join(root, "plain-out"), [failedRuns(join(root, "plain"), 3)], analyst);
        expect(analysis.analyst).toMatchObject({ read: 3, claims: 3, unread: [] });
        expect(said).toBe(1);
        expect(server.requests).toHaveLength(5); // one refused; three runs, and clusters once
        expect(await replayed(folder)).toEqual(["exact", "exact", "exact", "exact"]);
      },
    ));

  /** The form of each API is from its documentation: developers.openai.com, "Structured model outputs"; Anthropic's is asked in words. */
  it.each([
    ["local/reader", { response_format: true, text: false, temperature: true }],
    ["openai/gpt-4.1", { response_format: true, text: false, temperature: false }],
    ["openrouter/anthropic/claude-sonnet-5", { response_format: true, text: false, temperature: false }],
    ["anthropic/claude-sonnet-5-5", { response_format: false, text: false, temperature: false }],
  ])("holds the replies of %s to a schema as its API does, with no sampling that a provider may refuse", (name, sent) =>
    serving(misread, async (server) => {
      const own = join(root, name.replaceAll("/", "-"));
      const url = name.startsWith("anthropic/") ? server.origin : server.url;
      const { analysis } = await analyzeWith(own, [failedRuns(join(own, "runs"), 1)], analystAt(url, { name }));
      expect(analysis.analyst).toMatchObject({ read: 1, claims: 1, unread: [] });
      const body = server.requests[0]?.body ?? {};
      expect(Object.fromEntries(Object.keys(sent).map((key) => [key, Object.hasOwn(body, key)]))).toEqual(sent);
    }),
  );

  it("holds the replies of a model on the Responses API to a schema in that API's form", async () => {
    const runs = failedRuns(join(root, "responses"), 1);
    const quote = "The sum of the first column of table 0 is 4";
    const claim = { seq: 6, quote, why: "It summed the wrong column.", kind: "wrong-cause", lever: "none", confidence: "high" };
    const server = await startStrictResponses([], { reply: () => ({ text: JSON.stringify({ findings: [claim] }) }) });
    try {
      const analyst = analystAt(server.url, { name: "openai/gpt-6.2-sol" });
      const { analysis, folder } = await analyzeWith(join(root, "responses-out"), [runs], analyst);
      expect(analysis.analyst).toMatchObject({ read: 1, claims: 1, unread: [] });
      expect(server.requests.map(({ path }) => path)).toEqual(["/v1/responses"]);
      expect(server.requests[0]?.body["text"]).toMatchObject({ format: { type: "json_schema", name: "answer", strict: true } });
      expect(await replayed(folder)).toEqual(["exact"]);
    } finally {
      await server.close();
    }
  });
});
