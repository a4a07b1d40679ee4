import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventLines } from "../../../evals/gateway/event-lines.ts";
import type { WrittenReply } from "../../../evals/gateway/wires/gateway-wire.ts";
import { gatewayWires } from "../../../evals/gateway/wires/gateway-wires.ts";
import type { AssistantPart, ModelReply } from "../../../harness/contract/messages.ts";
import type { JsonObject } from "../../../harness/json.ts";

const wires = Object.values(gatewayWires);

/** Bodies that look like requests, with anything in the places that are read. */
const anything = fc.jsonValue({ maxDepth: 3 });
const block = fc.oneof(
  anything,
  fc.record(
    {
      type: fc.constantFrom(
        "text",
        "tool_use",
        "tool_result",
        "function_call",
        "function_call_output",
        "reasoning",
        "message",
        "input_text",
      ),
      role: fc.constantFrom("user", "assistant", "system", "tool", "developer"),
      content: anything,
      text: anything,
      id: anything,
      call_id: anything,
      name: anything,
      input: anything,
      arguments: anything,
      output: anything,
      tool_use_id: anything,
    },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom("user", "assistant", "system", "tool", "developer"), anything),
    content: fc.oneof(fc.string(), fc.array(block), anything),
    tool_calls: fc.oneof(fc.array(fc.record({ id: anything, function: anything })), anything),
    tool_call_id: anything,
  },
  { requiredKeys: [] },
);
const list = fc.oneof(fc.array(fc.oneof(message, block), { maxLength: 6 }), anything);
const body = fc.record(
  {
    model: anything,
    messages: list,
    input: list,
    system: list,
    instructions: anything,
    tools: list,
    stream: anything,
    max_tokens: anything,
  },
  { requiredKeys: [] },
);

const word = fc.string({ unit: fc.constantFrom("a", "é", "\n", '"', "{", "\u2028", "😀", " "), minLength: 1, maxLength: 20 });
const reply = fc
  .record({
    said: fc.option(word, { nil: undefined }),
    calls: fc.array(fc.record({ name: fc.constantFrom("bash", "edit"), args: fc.dictionary(fc.constantFrom("command", "path"), word) }), {
      maxLength: 3,
    }),
    input: fc.nat(100_000),
    output: fc.nat(5_000),
  })
  .filter(({ said, calls }) => said !== undefined || calls.length > 0)
  .map(({ said, calls, input, output }): ModelReply => {
    const made = calls.map((call, i) => ({ id: `call_${i}`, ...call }));
    const content: AssistantPart[] = [
      ...(said === undefined ? [] : [{ type: "text" as const, text: said }]),
      ...made.map((call) => ({ type: "call" as const, ...call })),
    ];
    const usage = { input, output, cached: Math.floor(input / 2) };
    return { message: { role: "assistant", content }, calls: made, usage, stop: made.length > 0 ? "calls" : "end", costUsd: null };
  });

/** What of a reply every wire carries. */
const carried = ({ message: { content }, calls, stop }: Pick<ModelReply, "message" | "calls" | "stop">) => ({
  content: content.map((part) => (part.type === "call" ? { id: part.id, name: part.name, args: part.args } : { text: part.text })),
  calls,
  stop,
});

describe.each(wires)("the wire $name", (wire) => {
  it("reads any object without an error, and what it reads is plain JSON", () => {
    fc.assert(
      fc.property(body, (given) => {
        const read = wire.read(JSON.parse(JSON.stringify(given)) as JsonObject); // as it comes: without -0
        expect(JSON.parse(JSON.stringify(read))).toEqual(read);
        for (const each of read.request.messages) expect(["user", "assistant", "tool"]).toContain(each.role);
      }),
    );
  });

  it("writes a reply, whole or streamed and cut anywhere, that reads back as the same", () => {
    fc.assert(
      fc.property(reply, fc.boolean(), fc.integer({ min: 1, max: 70 }), (made, stream, size) => {
        const written: WrittenReply = { model: "m", withUsage: true, reply: made, id: "0123456789abcdef01234567" };
        const reader = wire.reader({ who: "test", turn: 0 });
        if (stream) {
          const events = eventLines();
          const bytes = Buffer.from(wire.stream(written).join(""));
          for (let at = 0; at < bytes.length; at += size)
            for (const event of events.push(bytes.subarray(at, at + size)).events) reader.take(event);
        } else reader.take(JSON.parse(JSON.stringify(wire.whole(written))));
        const read = reader.finish();
        expect(carried(read)).toEqual(carried(made));
        expect(read.usage).toMatchObject({ input: made.usage.input, output: made.usage.output, cached: made.usage.cached });
      }),
    );
  });

  it("says an error in its provider's form", () => {
    expect(JSON.stringify(wire.error(wire.stopStatus, "Stop now."))).toMatch(/"error":\{.*"message":"Stop now\."/);
  });
});
