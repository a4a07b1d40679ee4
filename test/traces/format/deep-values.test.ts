import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deepFreeze } from "../../../harness/agent/deep-freeze.ts";
import { createEmitter } from "../../../harness/agent/record/emitter.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { isDeeperThan, type Json, type JsonObject, maxRecordedDepth } from "../../../harness/json.ts";
import { beyondCaps, readArguments } from "../../../harness/models/reply-caps.ts";
import { decodeData } from "../../../traces/format/decode.ts";
import { eventText } from "../../../traces/index/searchable-text.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";

/** A value of so many levels, the object around it one of them. */
function nested(levels: number): JsonObject {
  let value: Json = [];
  for (let level = 2; level < levels; level++) value = [value];
  return { value };
}

it("a value 100,000 levels deep is frozen to its last level", () => {
  const value = deepFreeze(nested(100_000));
  let [at, frozen]: [Json | undefined, number] = [value["value"], 1];
  for (; Array.isArray(at); at = at[0]) if (Object.isFrozen(at)) frozen++;
  expect(frozen).toBe(100_000);
});

it("arguments are read to their hundredth level, however deep they go, as text and as a value", () => {
  for (const given of [nested(101), nested(100_000), JSON.stringify(nested(101)), `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`]) {
    expect(readArguments(given)).toEqual({ kind: "cap", why: "nest more than 100 levels deep, and no more are read" });
  }
  expect(readArguments(nested(100))).toEqual({ args: nested(100) });
  expect(beyondCaps({ wide: Array.from({ length: 9_999 }, () => 1) })).toBeUndefined();
  expect(beyondCaps({ wide: Array.from({ length: 10_000 }, () => 1) })).toContain("10000 keys and items");
  expect(readArguments(JSON.stringify({ a: "x".repeat(1024 ** 2) }))).toMatchObject({ kind: "cap" });
  expect(readArguments('{"a":1e999}')).toMatchObject({ why: "hold a number that is out of range" });
});

it("nothing too deep is redacted, and the event after it has its number", () => {
  const events: RunEvent[] = [];
  const emitter = createEmitter({ emit: (event) => void events.push(event), flush: async () => undefined }, (text) => text);
  expect(() => emitter.emit("note", "main", nested(100_000))).toThrow("more than 1000 levels deep");
  emitter.emit("note", "main", nested(maxRecordedDepth));
  expect(events.map(({ n }) => n)).toEqual([0]);
  expect(isDeeperThan(events[0]?.d, maxRecordedDepth - 1)).toBe(true);
});

it("nothing too deep is written, the file goes on, and what is as deep as may be is read again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "forge-deep-"));
  try {
    const clock = { now: () => 0, sleep: async () => undefined };
    const trace = recordTrace(folder, { clock, micros: () => 0, sync: false });
    const event = (n: number, d: JsonObject): RunEvent => ({ t: "note", lane: "main", n, cause: [], d });
    expect(() => trace.emit(event(0, nested(100_000)))).toThrow("The event note of lane main nests more than 1000 levels deep");
    const deepest = { ...nested(maxRecordedDepth), long: "x".repeat(5_000) };
    trace.emit(event(0, deepest));
    trace.seal(null);
    expect((await loadTrace(folder)).events.map(({ d }) => d)).toEqual([deepest]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("what a strange trace nests too deep is refused with its place, not read", () => {
  const none = (): Uint8Array => new Uint8Array();
  expect(() => decodeData(nested(100_000), none, "run#3")).toThrow("run#3 is nested too deep to be read");
});

it("what is nested too deep is searched to its last level, in the order of its texts", () => {
  const content: Json = ["first", nested(100_000), { a: ["second"], b: "third" }];
  expect(eventText({ t: "tool.result" }, { reply: { content } })).toBe("first\nsecond\nthird");
});
