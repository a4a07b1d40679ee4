import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benchSources } from "../../../harness/config/config-source.ts";
import { createMiddleware } from "../../../harness/config/middleware/create-middleware.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { folderWith } from "./folder.ts";
import { registry } from "./registry.ts";

const load = (cwd: string) => loadConfig(benchSources({ cwd, config: "arm.yaml", defaultModel: "sim/default" }), registry);

/** Without `forge-lab`: the plain shape that `middleware(…)` returns. */
const nag = `import { z } from "zod";
import type { Unknown } from "nowhere";
import { said } from "./lib/said.js";
const options: unknown = z.strictObject({ after: z.int().min(1).default(3) });
export default { name: "nag", version: "1", options, create: ({ after }: { after: number }) => ({ name: "nag", version: said, after }) };
`;
const files = {
  "arm.yaml": "middleware:\n  - local-context\n  - {name: ./mine/nag.ts, after: 4}",
  "mine/nag.ts": nag,
  "mine/lib/said.ts": 'export { said } from "../../said.ts";',
  "said.ts": 'export const said = "one";',
};

describe("a middleware of the user's own", () => {
  it("is loaded from TypeScript in any folder, with its options checked and its sources kept", async () => {
    const folder = await folderWith(files);
    const config = await load(folder);
    expect(config.middleware[1]).toMatchObject({ name: "nag", version: "1", options: { after: 4 }, changed: { after: 4 } });
    expect(config.middleware[1]?.source).toMatchObject({
      path: join(folder, "mine/nag.ts"),
      files: { "nag.ts": nag, "lib/said.ts": files["mine/lib/said.ts"], "../said.ts": files["said.ts"] },
    });
    const made = await createMiddleware(config, registry.middleware, { trust: true });
    expect(made[1]).toMatchObject({ name: "nag", version: "one", after: 4 });
  });

  it("joins the harness hash with its sources: the same in another folder, another when a file it imports changes", async () => {
    const folder = await folderWith(files);
    const { hash } = await load(folder);
    expect((await load(await folderWith(files))).hash).toBe(hash);
    await writeFile(join(folder, "said.ts"), 'export const said = "two";');
    const changed = await load(folder);
    expect(changed.hash).not.toBe(hash);
    expect((await createMiddleware(changed, registry.middleware, { trust: true }))[1]).toMatchObject({ version: "two" });
  });

  it("is made again from its recorded text when its file has changed or is gone", async () => {
    const folder = await folderWith(files);
    const config = await load(folder);
    await writeFile(join(folder, "said.ts"), 'export const said = "two";');
    expect((await createMiddleware(config, { ...registry.middleware }, { trust: true }))[1]).toMatchObject({ version: "one", after: 4 });
    await rename(join(folder, "mine"), join(folder, "elsewhere"));
    expect((await createMiddleware(config, registry.middleware, { trust: true }))[1]).toMatchObject({ version: "one", after: 4 });
  });

  it("is not run from recorded text that nobody said to trust", async () => {
    const folder = await folderWith(files);
    const config = await load(folder);
    expect((await createMiddleware(config, registry.middleware, { trust: false }))[1]).toMatchObject({ version: "one" });
    await writeFile(join(folder, "said.ts"), 'export const said = "two";');
    await expect(createMiddleware(config, registry.middleware, { trust: false })).rejects.toThrow(
      /nag\.ts \(source hash [0-9a-f]{12}\) has changed or is gone; restore the file, or use --trust/,
    );
  });

  it("gets middleware() from the running package, and its test kit", async () => {
    const folder = await folderWith({
      "arm.yaml": "middleware: [./nag.ts]",
      "nag.ts": `import { middleware } from "forge-lab";
import * as kit from "forge-lab/testing";
import { z } from "zod";
export default middleware("nag", Object.keys(kit).length > 0 ? "kit" : "no kit", z.strictObject({}), () => ({}));`,
    });
    expect((await load(folder)).middleware).toMatchObject([{ name: "nag", version: "kit" }]);
  });

  it("is found as an installed package", async () => {
    const folder = await folderWith({
      "arm.yaml": "middleware: ['npm:nag']",
      "node_modules/nag/package.json": '{"name": "nag", "main": "./nag.ts"}',
      "node_modules/nag/nag.ts": nag,
      "node_modules/nag/lib/said.ts": 'export const said = "packed";',
    });
    expect((await load(folder)).middleware).toMatchObject([{ name: "nag" }]);
  });

  it.each([
    ["\nthrow new Error('boom\\nat line 2');", /nag\.ts:2 threw while it was loaded: boom; correct the file \(arm\.yaml:3\)$/],
    ["\n\nexport const x = ;", /nag\.ts:3 is not valid TypeScript or JavaScript: Unexpected token; correct the line \(arm\.yaml:3\)$/],
    ["import './broken.ts';\nexport default 1;", /mine\/broken\.ts:2 is not valid TypeScript or JavaScript: .*; correct the line/],
    ["export const x = 1;", /nag\.ts has no default export; write: export default middleware\(/],
    ["export default { name: 'nag' };", /nag\.ts has a default export that is not a middleware; write:/],
    ["import './gone.ts'; export default 1;", /nag\.ts imports "\.\/gone\.ts", and there is no such file/],
  ])("that is broken is answered in one sentence: %s", async (source, message) => {
    const folder = await folderWith({ ...files, "mine/broken.ts": "\nconst x = {", "mine/nag.ts": source });
    await expect(load(folder)).rejects.toThrow(expect.objectContaining({ name: "ConfigError", message: expect.stringMatching(message) }));
  });

  it("has its options checked like ours, with file and line", async () => {
    const folder = await folderWith({ ...files, "arm.yaml": "middleware:\n  - name: ./mine/nag.ts\n    aftr: 4" });
    await expect(load(folder)).rejects.toThrow('middleware[0].aftr: unknown key, did you mean "after"? (arm.yaml:3)');
  });

  it("may not carry the name of another one", async () => {
    const folder = await folderWith({
      ...files,
      "mine/nag.ts": nag.replace('name: "nag", version: "1"', 'name: "local-context", version: "1"'),
    });
    await expect(load(folder)).rejects.toThrow(/middleware\[1\]: two middlewares are named "local-context" \(arm\.yaml:2 has the other\)/);
  });

  it("that a trace recorded in another version than this Forge has is refused", async () => {
    const folder = await folderWith({ "arm.yaml": "middleware: [local-context]" });
    const config = await load(folder);
    await rm(folder, { recursive: true });
    const older = { middleware: config.middleware.map((each) => ({ ...each, version: "0" })) };
    await expect(createMiddleware(older, registry.middleware, { trust: true })).rejects.toThrow(
      /needs middleware "local-context" version 0, .* has version 1/,
    );
  });
});
