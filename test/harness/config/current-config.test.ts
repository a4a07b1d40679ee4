import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { configRegistry } from "../../../assembly/registry.ts";
import { currentConfig } from "../../../harness/config/current-config.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { readCode } from "../../../harness/config/code/import-code.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import { requireTrusted } from "../../../harness/trust/trust-code.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";

const root = mkdtempSync(join(tmpdir(), "forge-current-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const options = { registry: configRegistry };

const load = (config: ConfigFile): Promise<ResolvedConfig> =>
  loadConfig(
    [
      { kind: "preset", name: "standard" },
      { kind: "values", label: "test", config: { model: "sim/default", ...config }, folder: root },
    ],
    configRegistry,
  );

describe("a recorded configuration with what is installed today", () => {
  it("is the same, hash and all, where nothing has changed since", async () => {
    for (const config of [
      {},
      { prompt: { identity: "You are mine.", mine: "Mind it.", environment: "" } },
      { model: { name: "sim/default", protocol: "text" as const } },
    ]) {
      const recorded = await load(config);
      expect(await currentConfig(recorded, options)).toEqual({ config: recorded, changes: [] });
    }
  });

  it("names what has: a section of the prompt, a schema, a version, a default; the configuration's own words stay", async () => {
    const recorded = await load({ prompt: { mine: "Mind it." } });
    const [section, ...sections] = recorded.system;
    const old: ResolvedConfig = {
      ...recorded,
      system: [{ name: section?.name ?? "", text: "As it was." }, ...sections],
      tools: recorded.tools.map((tool) => (tool.name === "bash" ? { ...tool, description: "An older shell." } : tool)),
      middleware: recorded.middleware.map((one) =>
        one.name === "loop-detection"
          ? { ...one, version: "0" }
          : one.name === "completion-gate"
            ? { ...one, options: { ...one.options, mode: "?" } }
            : one,
      ),
    };
    const { config, changes } = await currentConfig(old, options);
    expect(config).toEqual(recorded);
    expect(changes).toEqual([
      `section ${section?.name} of the system prompt`,
      "schema of the tool bash",
      expect.stringMatching(/^middleware loop-detection, version 0 then and \d+ now$/),
      "defaults of the middleware completion-gate",
    ]);
  });

  it("takes a user's file as it is today, asks for trust in it, and cannot go on where it is gone", async () => {
    const path = join(root, "mine.mjs");
    const text = (version: string): string =>
      `import { z } from "zod";\nexport default { name: "mine", version: "${version}", options: z.strictObject({}), create: () => ({ name: "mine", version: "${version}" }) };\n`;
    writeFileSync(path, text("1"));
    const source = await readCode(path, root);
    const recorded: ResolvedConfig = {
      ...(await load({})),
      middleware: [{ name: "mine", version: "1", options: {}, changed: {}, source }],
    };
    writeFileSync(path, text("2"));
    const { config, changes } = await currentConfig(recorded, options);
    expect(config.middleware).toMatchObject([{ name: "mine", version: "2" }]);
    expect(changes).toEqual(["sources of the middleware mine"]);
    const none = { has: async () => false, add: async () => undefined };
    const untrusted = { ...options, requireTrusted: (config: Pick<ResolvedConfig, "middleware">) => requireTrusted(config, none) };
    await expect(currentConfig(recorded, untrusted)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining("use --trust"),
    });
    rmSync(path);
    const gone = { exitCode: 3, message: expect.stringContaining(`(source hash ${source.hash.slice(0, 12)}) is gone`) };
    await expect(currentConfig(recorded, options)).rejects.toMatchObject(gone);
  });

  it("cannot be had where a tool or a middleware is gone from Forge", async () => {
    const recorded = await load({});
    const [tool] = recorded.tools;
    if (!tool) throw new Error("no tool");
    await expect(currentConfig({ ...recorded, tools: [{ ...tool, name: "telepathy" }] }, options)).rejects.toThrow(/the tool "telepathy"/);
    const middleware = [{ name: "past", version: "1", options: {}, changed: {} }];
    await expect(currentConfig({ ...recorded, middleware }, options)).rejects.toThrow(/middleware "past", and this Forge has none/);
  });
});
