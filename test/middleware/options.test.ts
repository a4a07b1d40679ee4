import { describe, expect, it } from "vitest";
import { configSchema } from "../../harness/config/schema.ts";
import { presets } from "../../middleware/presets/presets.ts";
import { builtinMiddleware, everyMiddleware } from "../../middleware/registry.ts";

const parse = (name: string, o: object) => builtinMiddleware[name]?.options.safeParse(o);

describe("options of the built-in middlewares", () => {
  it.each(Object.keys(builtinMiddleware))("%s: needs none, and keeps its name and a version", (name) => {
    expect(parse(name, {})?.success).toBe(true);
    const definition = builtinMiddleware[name];
    expect(definition?.create(definition.options.parse({}))).toMatchObject({ name, version: definition?.version });
  });

  it.each(Object.keys(builtinMiddleware))("%s: fills in defaults that are options themselves", (name) => {
    const filled = builtinMiddleware[name]?.options.parse({}) as object;
    expect(parse(name, filled)).toMatchObject({ success: true, data: filled });
    expect(JSON.parse(JSON.stringify(filled))).toEqual(filled);
  });

  it.each<[string, object]>([
    ["local-context", { depth: 0 }],
    ["local-context", { depth: 9 }],
    ["local-context", { timeoutMs: 10 }],
    ["local-context", { maxBytes: 100 }],
    ["local-context", { entries: 1.5 }],
    ["local-context", { tools: ["git; rm -rf /"] }],
    ["local-context", { dept: 3 }],
    ["completion-gate", { mode: "prose" }],
    ["completion-gate", { maxBlocks: 0 }],
    ["completion-gate", { items: [] }],
    ["completion-gate", { claimCheck: "yes" }],
    ["completion-gate", { maxblocks: 2 }],
    ["loop-detection", { fileSoft: "five" }],
    ["loop-detection", { fileSoft: 1 }],
    ["loop-detection", { fileSoft: -1 }],
    ["loop-detection", { fileSoft: 12, fileHard: 12 }],
    ["loop-detection", { repeatWarn: 4 }],
    ["loop-detection", { cycle: { min: 5, max: 2 } }],
    ["loop-detection", { cycle: true }],
    ["loop-detection", { window: 1 }],
    ["loop-detection", { files: 5 }],
    ["reasoning-sandwich", { plan: "extreme" }],
    ["reasoning-sandwich", { planUntil: 0 }],
    ["reasoning-sandwich", { planUntil: 33 }],
    ["reasoning-sandwich", { planning: "high" }],
  ])("%s refuses %o", (name, o) => expect(parse(name, o)?.success).toBe(false));

  it("takes 0 and false as off", () => {
    expect(parse("loop-detection", { fileSoft: 0, fileHard: 0, repeatWarn: 0, repeatBlock: 0, sameError: 0, cycle: false })?.success).toBe(
      true,
    );
  });
});

describe("presets", () => {
  it.each(Object.keys(presets))("%s is a configuration, and every middleware in it is known and takes its options", (name) => {
    const config = configSchema.parse(presets[name]);
    for (const entry of config.middleware ?? []) {
      const { name: used, ...options } = typeof entry === "string" ? { name: entry } : entry;
      expect(everyMiddleware[used]?.options.safeParse(options)).toMatchObject({ success: true });
    }
  });

  it("bare is a shell and nothing else; standard and article differ in their middleware alone", () => {
    expect(presets["bare"]).toMatchObject({ tools: ["bash"], middleware: [] });
    const { middleware: _standard, ...standard } = presets["standard"] ?? {};
    const { middleware: _article, ...article } = presets["article"] ?? {};
    expect(article).toEqual(standard);
    expect(standard.limits).toEqual(presets["bare"]?.limits);
  });
});
