import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { harnessDifferences } from "../../../evals/job/harness-differences.ts";
import { harnessHash, type HashedConfig } from "../../../harness/config/harness-hash.ts";
import type { JsonObject } from "../../../harness/json.ts";

const config: HashedConfig = {
  model: { protocol: "native" },
  system: [
    { name: "behaviour", text: "Read the whole task before you act, and do exactly what it asks: names, paths and formats." },
    { name: "tone", text: "Be brief." },
  ],
  tools: [
    { name: "bash", description: "Runs a command.", parameters: { type: "object" } },
    { name: "read", description: "Reads.", parameters: { type: "object" } },
  ],
  limits: { turns: 50, activeMs: 900_000 },
  middleware: [
    { name: "loop-detection", version: "1", options: { fileSoft: 4 }, changed: { fileSoft: 4 } },
    { name: "mine", version: "1", options: {}, changed: {}, source: { path: "/a/mine.ts", hash: "ab".repeat(32), files: {} } },
  ],
};
const recorded = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject; // what lock.json holds
const between = (change: Partial<HashedConfig>): string[] => harnessDifferences(recorded(config), recorded({ ...config, ...change }));
const [first, mine] = config.middleware;
const [behaviour, tone] = config.system;
if (!first || !mine || !behaviour || !tone) throw new Error("the configuration above has two of each");

describe("the parts in which two harnesses differ", () => {
  it.each<[string, Partial<HashedConfig>, string[]]>([
    ["a limit", { limits: { turns: 40, activeMs: 900_000 } }, ["limits.turns 50 → 40"]],
    ["a limit that is new", { limits: { ...config.limits, tokens: 9 } }, ["limits.tokens not set → 9"]],
    ["the protocol", { model: { protocol: "text" } }, ["protocol native → text"]],
    [
      "a long prompt",
      { system: [{ ...behaviour, text: `${behaviour.text} Now.` }, tone] },
      ['prompt.behaviour "…, paths and formats." → "…, paths and formats. Now."'],
    ],
    [
      "a long prompt that differs in the middle",
      { system: [{ ...behaviour, text: behaviour.text.replace("exactly", "roughly") }, tone] },
      [
        'prompt.behaviour "…ore you act, and do exactly what it asks: names, paths and f…" → "…ore you act, and do roughly what it asks: names, paths and f…"',
      ],
    ],
    ["a short prompt", { system: [behaviour, { name: "tone", text: "Be long." }] }, ["prompt.tone Be brief. → Be long."]],
    ["a tool", { tools: config.tools.slice(0, 1) }, ["tool read gone"]],
    ["an option", { middleware: [{ ...first, changed: { fileSoft: 5 } }, mine] }, ["middleware loop-detection.fileSoft 4 → 5"]],
    [
      "an option at its default again",
      { middleware: [{ ...first, changed: {} }, mine] },
      ["middleware loop-detection.fileSoft 4 → not set"],
    ],
    ["a version of ours", { middleware: [{ ...first, version: "2" }, mine] }, ["middleware loop-detection version 1 → version 2"]],
    [
      "a file of the user's",
      { middleware: [first, { ...mine, source: { path: "/a/mine.ts", hash: "cd".repeat(32), files: {} } }] },
      ["middleware mine source abababababab → source cdcdcdcdcdcd"],
    ],
    ["a middleware", { middleware: [first] }, ["middleware mine gone"]],
    ["an order", { middleware: [mine, first] }, ["order of middleware: loop-detection, mine → mine, loop-detection"]],
    ["nothing that the hash covers", { middleware: [first, { ...mine, version: "2" }] }, []],
  ])("are named: %s", (_, change, expected) => {
    expect(between(change)).toEqual(expected);
  });

  it("are none that can be told where the records are not a configuration's", () => {
    expect(harnessDifferences({}, recorded(config))).toEqual([]);
  });

  const name = fc.constantFrom("a", "b", "c", "a.b", "__proto__");
  const list = <T>(item: fc.Arbitrary<T & { name: string }>) => fc.uniqueArray(item, { selector: (one) => one.name, maxLength: 3 });
  const any = fc.record({
    model: fc.record({ protocol: fc.constantFrom("native", "text") }),
    system: list(fc.record({ name, text: fc.constantFrom("x", "y") })),
    tools: list(fc.record({ name, description: fc.constantFrom("x", "y"), parameters: fc.constant({}) })),
    limits: fc.record({ turns: fc.constantFrom(1, 2) }, { requiredKeys: [] }),
    middleware: list(
      fc.record({
        name,
        version: fc.constantFrom("1", "2"),
        options: fc.constant({}),
        changed: fc.record({ o: fc.constantFrom(1, null) }, { requiredKeys: [] }),
      }),
    ),
  }) as fc.Arbitrary<HashedConfig>; // the protocol's type is narrower than its strings

  it("are some exactly when the hashes differ", () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        const differ = harnessHash(a) !== harnessHash(b);
        expect(harnessDifferences(recorded(a), recorded(b)).length > 0).toBe(differ);
      }),
      { numRuns: 300 },
    );
  });
});
