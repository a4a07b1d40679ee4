import { describe, expect, it } from "vitest";
import { configRegistry } from "../../assembly/registry.ts";
import { benchSources } from "../../harness/config/config-source.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import { toolNames } from "../../harness/tools/tool-schemas.ts";
import { presets } from "../../middleware/presets/presets.ts";

/** Names that are ordinary words name a tool only where they are spoken of as one. */
const words = ["read", "write", "edit", "glob"];
const namedIn = (text: string): string[] =>
  toolNames.filter((name) => new RegExp(words.includes(name) ? `(?:\\b(?:use|with|by|call) |\`)${name}\\b` : `\\b${name}\\b`).test(text));

/** Tools that the prompt or the descriptions of a preset's tools speak of and that it does not have. */
async function missing(preset: string): Promise<string[]> {
  const { system, tools } = await loadConfig(benchSources({ cwd: "/", config: preset, defaultModel: "sim/default" }), configRegistry);
  const texts = JSON.stringify([system, tools.map(({ description, parameters }) => [description, parameters])]);
  const has = new Set(tools.map(({ name }) => name));
  expect(has.size).toBeGreaterThan(0);
  return namedIn(texts).filter((name) => !has.has(name));
}

describe("a preset", () => {
  // what was measured under these names stays as it was
  const first = Object.keys(presets).filter((name) => name.endsWith("@1"));

  it.each(Object.keys(presets).filter((name) => !first.includes(name)))("has every tool that its texts name: %s", async (preset) => {
    expect(await missing(preset)).toEqual([]);
  });

  it.each(first)("of version 1 offered a background that nothing could read: %s", async (preset) => {
    expect(await missing(preset)).toEqual(["bash_output", "kill_shell"]);
  });

  it("is read for names of tools in each way that texts have them", () => {
    expect(namedIn("to change a part of it, use edit; see `read`; then bash_output, kill_shell. Read the task, edit nothing.")).toEqual([
      "bash_output",
      "kill_shell",
      "read",
      "edit",
    ]);
  });
});
