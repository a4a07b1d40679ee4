import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../harness/json.ts";
import { runFixture } from "../../../testing.ts";
import { langsmithOfRun } from "../../../traces/export/langsmith/langsmith-of-run.ts";
import { batchesOf } from "../../../traces/export/langsmith/send-trees.ts";
import { uuidV5 } from "../../../traces/export/langsmith/uuid-v5.ts";
import { exported } from "./exported.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

describe("a run as a LangSmith run tree", () => {
  it("has ids after RFC 9562", () => {
    expect(uuidV5("www.example.com", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
  });

  it("is a chain, its requests with what each added and was answered, and its calls", async () => {
    const { events } = await runFixture({
      task: "Look.",
      script: [{ text: "I look.", calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "a.txt" }],
      exec: () => "a.txt",
    });
    const verdict = { t: "verifier.result" as const, lane: "trial", n: 0, cause: [], d: { rewards: { style: 0.5 }, passed: true } };
    const { runs, feedback } = langsmithOfRun(exported([...events, verdict]), "mine");
    expect(runs.map(({ run_type, name }) => [run_type, name])).toEqual([
      ["chain", "forge"],
      ["llm", "script"],
      ["tool", "bash"],
      ["llm", "script"],
    ]);
    const [root, first, call, second] = runs;
    expect(root).toMatchObject({ inputs: { task: "Look." }, outputs: { answer: "a.txt", outcome: { type: "done" } } });
    expect(first).toMatchObject({
      parent_run_id: root.id,
      inputs: { messages: [{ role: "system" }, { role: "user", content: "Look." }] },
      outputs: { messages: [{ role: "assistant", content: "I look.", tool_calls: [{ function: { name: "bash" } }] }] },
    });
    expect(second).toMatchObject({ inputs: { messages_kept: 1, messages: [{ role: "assistant" }, { role: "tool", content: "a.txt" }] } });
    expect(call).toMatchObject({ inputs: { command: "ls" }, outputs: { output: "a.txt", status: "ok" } });
    expect(feedback).toMatchObject([
      { key: "style", score: 0.5 },
      { key: "passed", score: 1 },
    ]);
  });

  it("has in any run the same distinct ids each time, every node below one that came before it, and the order of the run", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, fc.boolean(), async (run, timeless) => {
        const { events } = await runFixture(optionsOf(run));
        const whole = exported(events);
        const given = timeless ? { ...whole, events: whole.events.map((event) => ({ ...event, dt: 0 })) } : whole;
        const tree = langsmithOfRun(given, "mine");
        expect(langsmithOfRun(given, "mine")).toEqual(tree);
        const ids = new Set(tree.runs.map(({ id }) => id));
        expect(langsmithOfRun(given, "another").runs.filter(({ id }) => ids.has(id))).toEqual([]);
        const count = (type: string): number => tree.runs.filter(({ run_type }) => run_type === type).length;
        expect([count("chain"), count("llm"), count("tool")]).toEqual(
          ["run.start", "model.request", "tool.call"].map((t) => events.filter((event) => event.t === t).length),
        );
        const seen = new Map<string, string>();
        for (const { id, parent_run_id: parent, dotted_order: order, trace_id, start_time, end_time } of tree.runs) {
          expect(seen.has(id)).toBe(false);
          expect(trace_id).toBe(tree.runs[0].id);
          const above = parent === undefined ? undefined : seen.get(parent);
          if (parent !== undefined) expect(order.startsWith(`${above}.`)).toBe(true);
          expect(order).toMatch(/^(\d{8}T\d{12}Z[0-9a-f-]{36}(\.|$))+$/);
          expect(end_time >= start_time).toBe(true);
          seen.set(id, order);
        }
        const seqOf = ({ extra }: (typeof tree.runs)[number]): unknown => (extra["metadata"] as JsonObject)["forge_seq"]; // every node but agents has it
        const first = tree.runs.filter(({ run_type }) => run_type !== "chain").toSorted((a, b) => Number(seqOf(a)) - Number(seqOf(b)));
        const last = (order: string): string => order.slice(order.lastIndexOf(".") + 1);
        const orders = first.map(({ dotted_order }) => last(dotted_order));
        expect(orders.toSorted()).toEqual(orders);
      }),
      { numRuns: draws(40) },
    );
  });

  it("goes in batches that hold so many nodes and bytes, in order, none lost", async () => {
    const { events } = await runFixture({ script: [{ calls: [{ name: "bash", args: {} }] }, { text: "x".repeat(5000) }] });
    const { runs } = langsmithOfRun(exported(events), "mine");
    expect(batchesOf(runs, { runs: 3, bytes: 1e9 }).map((batch) => batch.length)).toEqual([3, 1]);
    const small = batchesOf(runs, { runs: 100, bytes: 3000 });
    expect(small.length).toBeGreaterThan(1);
    expect(small.flat()).toEqual(runs);
  });
});
