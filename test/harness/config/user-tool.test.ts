import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benchSources } from "../../../harness/config/config-source.ts";
import { filesOfConfig } from "../../../harness/config/files-of-config.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { createToolFiles } from "../../../harness/config/tools/create-tool-files.ts";
import { folderWith } from "./folder.ts";
import { registry } from "./registry.ts";

const load = (cwd: string) => loadConfig(benchSources({ cwd, config: "arm.yaml", defaultModel: "sim/default" }), registry);

/** Without `forge-lab`: the plain shape that `tool(…)` returns. */
const search = `import { z } from "zod";
import { said } from "./lib/said.js";
export default {
  name: "search", description: "Finds a word.", parameters: z.strictObject({ word: z.string() }), readOnly: true,
  run: ({ word }: { word: string }) => said + word,
};
`;
const files = {
  "arm.yaml": "tools: [bash, ./mine/search.ts, read]",
  "mine/search.ts": search,
  "mine/lib/said.ts": 'export const said = "found ";',
};

describe("a tool of the user's own", () => {
  it("is loaded from TypeScript, offered in its place among the tools, and its sources kept", async () => {
    const folder = await folderWith(files);
    const config = await load(folder);
    expect(config.tools.map(({ name }) => name)).toEqual(["bash", "search", "read"]);
    expect(config.tools[1]).toEqual({
      name: "search",
      description: "Finds a word.",
      parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
    });
    expect(config.toolFiles).toMatchObject([
      {
        name: "search",
        source: { path: join(folder, "mine/search.ts"), files: { "search.ts": search, "lib/said.ts": expect.any(String) } },
      },
    ]);
    expect([...(await filesOfConfig(join(folder, "arm.yaml"), registry))].sort()).toEqual(
      ["arm.yaml", "mine/lib/said.ts", "mine/search.ts"].map((name) => join(folder, name)),
    );
  });

  it("joins the harness hash with its sources, and without one the hash is as it was", async () => {
    const folder = await folderWith(files);
    const { hash } = await load(folder);
    expect((await load(await folderWith(files))).hash).toBe(hash);
    await writeFile(join(folder, "mine/lib/said.ts"), 'export const said = "seen ";');
    expect((await load(folder)).hash).not.toBe(hash);
    expect((await load(await folderWith({ "arm.yaml": "tools: [bash, read]" }))).toolFiles).toBeUndefined();
  });

  it("is made again from its recorded text when its file has changed, where that is trusted", async () => {
    const folder = await folderWith(files);
    const config = await load(folder);
    await rename(join(folder, "mine"), join(folder, "elsewhere"));
    const [made] = await createToolFiles(config, { trust: true });
    expect(made?.definition.run({ word: "it" }, undefined as never)).toBe("found it"); // asks the workspace for nothing
    await expect(createToolFiles(config, { trust: false })).rejects.toThrow(
      /The tool .*search\.ts \(source hash [0-9a-f]{12}\) has changed or is gone; restore the file, or use --trust/,
    );
  });

  it("gets tool() from the running package", async () => {
    const folder = await folderWith({
      "arm.yaml": "tools: [./t.ts]",
      "t.ts": `import { tool, z } from "forge-lab";
export default tool({ name: "t", description: "T.", parameters: z.strictObject({}), run: () => "" });`,
    });
    expect((await load(folder)).tools).toMatchObject([{ name: "t" }]);
  });

  const plain = (fields: string) => `import { z } from "zod";
export default { name: "search", description: "Finds.", parameters: z.strictObject({}), run: () => "", ${fields} };`;
  it.each([
    ["export const x = 1;", /^tools\[1\]: .*search\.ts has no default export; write: export default tool\(.*\(arm\.yaml:1\)$/],
    ["export default 1;", /search\.ts exports no tool: expected an object, got number; write:/],
    [plain('name: "my tool"'), /exports no tool: name: expected letters, digits, _ and -, at most 64, got "my tool"; write:/],
    [plain('name: "mcp__a__b"'), /name: "mcp__a__b" begins with mcp__, which names tools of MCP servers; rename it/],
    [plain('name: "bash"'), /^tools\[1\]: \.\/mine\/search\.ts exports a tool named "bash", as a built-in tool is; rename yours/],
    [plain('description: ""'), /description: expected a text, got ""/],
    [plain("parameters: {}"), /parameters: expected a zod schema of an object, got {}/],
    [plain("parameters: z.string()"), /parameters: expected a schema of an object, got one of "string"/],
    [plain("parameters: z.object({ at: z.date() })"), /parameters: no JSON Schema can be made of it \(Date cannot be represented/],
    [plain("run: 3"), /run: expected a function, got 3/],
    [plain("timeoutMs: 0.5"), /timeoutMs: expected a whole number from 1 to 600000, got 0\.5/],
    ["\nthrow new Error('boom');", /search\.ts:2 threw while it was loaded: boom; correct the file/],
    ["\nexport default {{", /search\.ts:2 is not valid TypeScript or JavaScript/],
  ])("that is broken is answered in one sentence: %s", async (source, message) => {
    const folder = await folderWith({ ...files, "mine/search.ts": source });
    await expect(load(folder)).rejects.toThrow(expect.objectContaining({ name: "ConfigError", message: expect.stringMatching(message) }));
  });

  it.each([
    ["tools: [./gone.ts]", /^tools\[0\]: there is no file .*gone\.ts; correct the path \(arm\.yaml:1\)$/],
    ["tools: [search.ts]", /^tools\[0\]: there is no tool "search\.ts" \(a file of yours begins with "\.\/"\)/],
    ["tools: [./mine/search.ts, ./again.ts]", /^tools\[1\]: two tools are named "search" \(tools\[0\] is the other\); rename yours/],
  ])("that cannot be taken is answered with its place: %s", async (arm, message) => {
    const folder = await folderWith({ ...files, "arm.yaml": arm, "again.ts": 'export { default } from "./mine/search.ts";' });
    await expect(load(folder)).rejects.toThrow(expect.objectContaining({ name: "ConfigError", message: expect.stringMatching(message) }));
  });
});
