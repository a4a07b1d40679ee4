import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runFixture } from "../../../testing.ts";
import { otlpOfRun, type OtlpTraces } from "../../../traces/export/otlp/otlp-of-run.ts";
import type { Span } from "../../../traces/export/otlp/span.ts";
import { exported } from "./exported.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { draws } from "../../needs.ts";

const spansOf = ({ resourceSpans }: OtlpTraces): Span[] =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
const valueOf = ({ attributes }: Pick<Span, "attributes">, key: string): unknown =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

describe("a run as OTLP spans", () => {
  it("is an agent, its requests with what each added and was answered, and its calls", async () => {
    const { events } = await runFixture({
      task: "Look.",
      script: [{ text: "I look.", calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "a.txt" }],
      exec: () => "a.txt",
    });
    const spans = spansOf(otlpOfRun(exported(events)));
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ["invoke_agent forge", 1],
      ["chat script", 3],
      ["chat script", 3],
      ["execute_tool bash", 1],
    ]);
    const [agent, first, second, call] = spans;
    if (!agent || !first || !second || !call) throw new Error("a span is missing");
    expect(valueOf(agent, "gen_ai.operation.name")).toBe("invoke_agent");
    expect(valueOf(first, "gen_ai.response.finish_reasons")).toEqual({ values: [{ stringValue: "tool_call" }] });
    expect(JSON.parse(String(valueOf(first, "gen_ai.output.messages")))).toMatchObject([
      { role: "assistant", parts: [{ type: "text", content: "I look." }, { type: "tool_call", name: "bash", arguments: { command: "ls" } }] }, // prettier-ignore
    ]);
    expect(JSON.parse(String(valueOf(second, "gen_ai.input.messages")))).toMatchObject([
      { role: "assistant", parts: [{ content: "I look." }, { type: "tool_call" }] },
      { role: "tool", parts: [{ type: "tool_call_response", response: "a.txt" }] },
    ]);
    expect(valueOf(call, "gen_ai.tool.call.result")).toBe("a.txt");
    expect(BigInt(call.endTimeUnixNano) - BigInt(call.startTimeUnixNano)).toBe(1_000_000_000n);
  });

  it("says of a run that was cut off that it was, and what was left out behind its whole events", async () => {
    const { events } = await runFixture({ script: [{ text: "I look.", calls: [{ name: "bash", args: {} }] }, { text: "ok" }], exec: () => "" }); // prettier-ignore
    const [whole] = spansOf(otlpOfRun(exported(events)));
    const [cut] = spansOf(otlpOfRun(exported(events.slice(0, 3), { sealed: false, torn: { offset: 900, bytes: 12 } })));
    if (!whole || !cut) throw new Error("a span is missing");
    const of = (span: Span): unknown[] =>
      ["forge.outcome", "error.type", "forge.sealed", "forge.torn.offset", "forge.torn.bytes"].map((key) => valueOf(span, key));
    expect(of(whole)).toEqual(["done", undefined, true, undefined, undefined]);
    expect(whole.status).toBeUndefined();
    expect(of(cut)).toEqual(["cut off", "cut off", false, "900", "12"]);
    expect(cut.status).toEqual({ code: 2, message: expect.stringMatching(/^The run was cut off: .* 12 bytes .* from offset 900/) });
  });

  it("has what a request brought itself in a later request too, which names it by reference", async () => {
    const own = { role: "user" as const, content: [{ type: "text" as const, text: "Mind the gap." }] };
    let asked = 0;
    const { events } = await runFixture({
      task: "Look.",
      script: [{ calls: [{ name: "bash", args: {} }] }, { calls: [{ name: "bash", args: {} }] }, { text: "done" }],
      exec: () => "x",
      middleware: [
        {
          name: "reminds",
          version: "1",
          model: (call, next) => next(asked++ === 1 ? call : { ...call, messages: [own, ...call.messages] }),
        },
      ],
    });
    const requests = events.filter(({ t }) => t === "model.request");
    expect(requests[2]?.d["add"]).toMatchObject([{ ref: "main#1+0" }, {}, {}, {}, {}, {}]);
    const chats = spansOf(otlpOfRun(exported(events))).filter(({ name }) => name.startsWith("chat"));
    expect(JSON.parse(String(valueOf(chats[2] ?? { attributes: [] }, "gen_ai.input.messages")))).toMatchObject([
      { role: "user", parts: [{ content: "Mind the gap." }] },
      { role: "user", parts: [{ content: "Look." }] },
      { role: "assistant" },
      { role: "tool" },
      { role: "assistant" },
      { role: "tool" },
    ]);
  });

  it("has in any run a span for each request and call, each below one that is there, none that ends before it begins", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (run) => {
        const { events } = await runFixture(optionsOf(run));
        const traces = otlpOfRun(exported(events));
        const spans = spansOf(traces);
        const count = (operation: string): number => spans.filter((span) => valueOf(span, "gen_ai.operation.name") === operation).length;
        expect(count("chat")).toBe(events.filter(({ t }) => t === "model.request").length);
        const answered = spans.filter((span) => valueOf(span, "gen_ai.output.messages") !== undefined);
        expect(answered.length).toBe(events.filter(({ t }) => t === "model.response").length);
        expect(count("execute_tool")).toBe(events.filter(({ t }) => t === "tool.call").length);
        expect(count("invoke_agent")).toBe(events.filter(({ t }) => t === "run.start").length);
        const ids = new Set(spans.map(({ spanId }) => spanId));
        expect(ids.size).toBe(spans.length);
        expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
        for (const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano } of spans) {
          expect(traceId).toMatch(/^[0-9a-f]{32}$/);
          expect(spanId).toMatch(/^[0-9a-f]{16}$/);
          expect(parentSpanId === undefined ? spanId === spans[0]?.spanId : ids.has(parentSpanId)).toBe(true);
          expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
        }
        expect(otlpOfRun(exported(events))).toEqual(traces);
      }),
      { numRuns: draws(40) },
    );
  });
});
