import { describe, expect, it } from "vitest";
import { configRegistry } from "../../../assembly/registry.ts";
import { modelNotesOf } from "../../../cli/shared/model-notes-of.ts";
import { benchSources } from "../../../harness/config/config-source.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { allRows } from "../../../harness/models/families/find-row.ts";
import { folderWith } from "./folder.ts";

const masking = `
import { middleware, z } from "forge-lab";
export default middleware("masking", "1", z.strictObject({ on: z.boolean().default(true) }), ({ on }) => ({
  rewrites: on,
  async model(call, next) {
    return next({ ...call, messages: on ? call.messages.slice(-4) : call.messages });
  },
}));
`;
const load = async (yaml: string, change?: Parameters<typeof loadConfig>[2]) => {
  const cwd = await folderWith({ "arm.yaml": yaml, "masking.ts": masking });
  return loadConfig(benchSources({ cwd, config: "arm.yaml", defaultModel: "sim/default" }), configRegistry, change);
};
const arm = (model: string, more = ""): string => `extends: bare\nmodel: ${model}\nmiddleware:\n  - {name: ./masking.ts${more}}\n`;
const frozen = allRows().flatMap(([name, { history }]) => (history === "frozen" ? [name] : []));

describe("middleware that changes earlier messages", () => {
  it("is refused with a model that refuses a changed history: which, why, what instead, and where", async () => {
    expect(frozen).toEqual(
      expect.arrayContaining(["anthropic/claude-opus-5-5", "anthropic/claude-sonnet-5-5", "anthropic/claude-fable-5-2"]),
    );
    await expect(load(arm("anthropic/claude-opus-5-5"))).rejects.toThrow(
      'middleware[0]: the middleware "masking" changes earlier messages, and anthropic/claude-opus-5-5 refuses a conversation whose earlier messages changed (history: frozen in docs/models.md); take it out with {name: ./masking.ts, off: true}, use one that only adds at the end, or name a model whose history is free (arm.yaml:4)',
    );
  });

  it("is taken with a model whose history is free, and with options that keep it from it", async () => {
    expect((await load(arm("anthropic/claude-opus-5"))).middleware).toMatchObject([{ name: "masking", rewrites: true }]);
    expect((await load(arm("anthropic/claude-opus-5-5", ", on: false"))).middleware[0]).not.toHaveProperty("rewrites");
  });

  it("is refused where the user's own row freezes the history, and not where it frees it", async () => {
    const row = (model: string, history: string): string => `${arm(model)}models: {${model}: {history: ${history}}}\n`;
    await expect(load(row("local/mine", "frozen"))).rejects.toThrow("local/mine refuses");
    expect((await load(row("anthropic/claude-opus-5-5", "free"))).middleware).toHaveLength(1);
  });

  it("is refused where a change of the configuration switches it on, and not where it leaves it out", async () => {
    const set = [{ target: "masking.on", value: true, label: "--vary masking.on=true" }];
    const off = arm("anthropic/claude-opus-5-5", ", on: false");
    await expect(load(off, { name: "on", set })).rejects.toThrow("changes earlier messages");
    expect((await load(arm("anthropic/claude-opus-5"), { name: "without", without: ["masking"] })).middleware).toEqual([]);
  });

  it("is named before a run with a model that drops its reasoning for it", async () => {
    const config = await load(arm("openai/gpt-6.2-sol"));
    expect(modelNotesOf(config)).toContain(
      'openai/gpt-6.2-sol drops its earlier reasoning each time the middleware "masking" changes earlier messages.',
    );
  });

  it("is part of no hash", async () => {
    expect((await load(arm("openai/gpt-6.2-sol"))).hash).toBe((await load(arm("anthropic/claude-opus-5"))).hash);
  });
});

describe("a preset", () => {
  const presets = Object.keys(configRegistry.presets);
  it.each(frozen)("holds nothing that %s refuses", async (model) => {
    for (const preset of presets) expect((await load(`extends: ${preset}\nmodel: ${model}\n`)).model.name).toBe(model);
  });
});
