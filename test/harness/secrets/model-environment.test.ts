import { describe, expect, it } from "vitest";
import { modelEnvironment } from "../../../harness/secrets/model-environment.ts";
import { everydaySources } from "../../../harness/config/config-source.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import { folderWith } from "../config/folder.ts";
import { registry } from "../config/registry.ts";

const env = {
  OPENAI_API_KEY: "one",
  ANTHROPIC_API_KEY: "two",
  OPENROUTER_API_KEY: "three",
  API_KEY: "four",
  AWS_SECRET_ACCESS_KEY: "five",
  AWS_BEARER_TOKEN_BEDROCK: "six",
  GOOGLE_APPLICATION_CREDENTIALS: "/seven.json",
  PATH: "/bin",
  OPENAI_BASE_URL: "x",
};
const url = "model: {name: openai/gpt, baseUrl: 'https://other.example/v1'}";

/** What is left of the environment, and what was said. */
async function given(files: Record<string, string>, o: { flags?: ConfigFile; config?: string } = {}) {
  const root = await folderWith(files);
  const sources = everydaySources({ preset: "standard", cwd: `${root}/repo`, home: `${root}/home`, repository: `${root}/repo`, ...o });
  const said: string[] = [];
  const left = await modelEnvironment(sources, { presets: registry.presets, env, say: (line) => said.push(line) });
  return { left, said };
}
const withoutKeys = { PATH: "/bin", OPENAI_BASE_URL: "x" };

describe("the environment for the model", () => {
  it.each([
    ["forge.yaml", { "repo/forge.yaml": url }, "forge.yaml:1"],
    [".forge/config.yaml", { "repo/.forge/config.yaml": url }, ".forge/config.yaml:1"],
    [".forge/settings.local.yaml", { "repo/.forge/settings.local.yaml": url }, ".forge/settings.local.yaml:1"],
    [
      "a file that forge.yaml extends",
      { "repo/forge.yaml": "extends: ./deep/other.yaml", "repo/deep/other.yaml": url },
      "deep/other.yaml:1",
    ],
    ["a file outside that .forge/config.yaml extends", { "repo/.forge/config.yaml": "extends: ../../x.yaml", "x.yaml": url }, "x.yaml:1"],
    [
      "forge.yaml over the user's own address",
      { "home/.forge/config.yaml": url, "repo/forge.yaml": "model: {baseUrl: 'https://third.example'}" },
      "forge.yaml:1",
    ],
  ])("holds no key where the address comes from %s", async (_, files, place) => {
    const { left, said } = await given(files as unknown as Record<string, string>); // each has its own keys
    expect(left).toEqual(withoutKeys);
    expect(said).toEqual([expect.stringContaining(place)]);
  });

  it.each([
    ["the user's own folder", { "home/.forge/config.yaml": url }, {}],
    ["--config", { "repo/mine.yaml": url }, { config: "mine.yaml" }],
    ["the command line", {}, { flags: { model: { name: "openai/gpt", baseUrl: "https://own.example" } } }],
    ["the command line, over a repository's", { "repo/forge.yaml": url }, { flags: { model: { baseUrl: "https://own.example" } } }],
    ["the provider's own, a repository naming the model alone", { "repo/forge.yaml": "model: openai/gpt" }, {}],
    [
      "the provider's own, another provider than a repository's address is of",
      { "repo/forge.yaml": url },
      { flags: { model: "anthropic/x" } },
    ],
  ])("holds all keys where the address is %s", async (_, files, o) => {
    const { left, said } = await given(files as unknown as Record<string, string>, o);
    expect(left).toEqual(env);
    expect(said).toEqual([]);
  });
});
