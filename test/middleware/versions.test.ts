import { describe, expect, it } from "vitest";
import { configRegistry } from "../../assembly/registry.ts";
import { benchSources } from "../../harness/config/config-source.ts";
import { explainConfig } from "../../harness/config/explain-config.ts";
import { loadConfig } from "../../harness/config/load-config.ts";
import { createMiddleware } from "../../harness/config/middleware/create-middleware.ts";
import type { ConfigFile } from "../../harness/config/schema.ts";
import { everyMiddleware } from "../../middleware/registry.ts";
import { folderWith } from "../harness/config/folder.ts";

const load = (config: string, flags?: ConfigFile, cwd = "/") =>
  loadConfig(benchSources({ cwd, config, defaultModel: "sim/default", ...(flags ? { flags } : {}) }), configRegistry);
const file = async (yaml: string) => load("arm.yaml", undefined, await folderWith({ "arm.yaml": yaml }));
const versions = (config: Awaited<ReturnType<typeof load>>) => config.middleware.map(({ name, version }) => `${name}@${version}`);

describe("a versioned preset", () => {
  // A hash that changes here is a preset that means something else than what was measured under its name: make a new version instead.
  it.each([
    ["bare@1", "native", "d551897a371e12882e79d8de1b23f71ef0378a8d901a35c3b828c757f9b4d3f3"],
    ["bare@1", "text", "99463ace5715053006b86aa08e277c5dbb7256fc972e85415ba3b0c487be5f51"],
    ["article@1", "native", "7aaacdad5dee28b97a3f391f016134c30e2de524b94d91caf5b3db3c1e56f16e"],
    ["standard@1", "native", "eb5c2771050b14c4a49bc90b4c05b8c1d80d409e5e8a7a471015228b1c7cd4d8"],
    ["standard@1", "text", "c9a1c66bb832c26f7afb976b57fffbb705b1074308d10943ad72631ac809b511"],
  ] as const)("keeps the harness that was measured under its name: %s, %s", async (name, protocol, hash) => {
    const config = await load(name, { model: { protocol } });
    expect([config.name, config.hash, config.loop]).toEqual([name, hash, undefined]);
  });

  it("is the newest where no version is named", async () => {
    for (const name of ["bare", "article", "standard"]) {
      expect({ ...(await load(`${name}@2`)), name }).toEqual(await load(name));
      expect((await load(name)).loop).toBe(2);
    }
    expect(versions(await load("standard"))).toEqual(["local-context@2", "loop-detection@2", "completion-gate@2", "reasoning-sandwich@2"]);
    expect(versions(await load("standard@1"))).toEqual([
      "local-context@2",
      "loop-detection@1",
      "completion-gate@1",
      "reasoning-sandwich@1",
    ]);
  });

  it("keeps its versions where an option of it is changed, and takes another one by name", async () => {
    const changed = await file(
      "extends: standard@1\nmiddleware: [{name: loop-detection, fileSoft: 4}, {name: completion-gate, off: true}]",
    );
    expect(versions(changed)).toEqual(["local-context@2", "loop-detection@1", "reasoning-sandwich@1"]);
    expect(changed.middleware[1]).toMatchObject({ changed: { fileSoft: 4 } });
    const mixed = await file("extends: standard@1\nloop: 2\nmiddleware: [completion-gate@2]");
    expect(versions(mixed)).toEqual(["local-context@2", "loop-detection@1", "completion-gate@2", "reasoning-sandwich@1"]);
    expect(mixed.loop).toBe(2);
  });

  it("shows beside the newest where its parts come from", async () => {
    const rows = async (config: string) => {
      const all = await explainConfig(benchSources({ cwd: "/", config, defaultModel: "sim/default" }), configRegistry);
      return all.filter(({ key }) => key === "loop" || key === "middleware.completion-gate").map(({ value, from }) => [value, from]);
    };
    expect(await rows("standard@1")).toEqual([
      [1, "preset standard@1"],
      ["version 1", "preset standard@1"],
    ]);
    expect(await rows("standard")).toEqual([
      [2, "preset standard"],
      ["version 2", "preset standard"],
    ]);
  });
});

describe("a middleware's version", () => {
  it("is selected by name@version, and one that is not there is named with those that are", async () => {
    expect(versions(await file("middleware: [completion-gate@1, loop-detection]"))).toEqual(["completion-gate@1", "loop-detection@2"]);
    await expect(file("middleware: [completion-gate@9]")).rejects.toThrow(
      'middleware[0]: this Forge has no version 9 of "completion-gate"; it has completion-gate@2, completion-gate@1 (arm.yaml:1)',
    );
    await expect(file("middleware: [completion-gat@1]")).rejects.toThrow('did you mean "completion-gate"?');
    await expect(file("middleware: [completion-gate@1, completion-gate]")).rejects.toThrow("is listed twice");
  });

  it("that a run recorded is the one that replays it", async () => {
    for (const name of ["standard@1", "standard@2"]) {
      const config = await load(name);
      const made = await createMiddleware(config, everyMiddleware, { trust: false });
      expect(made.map((one) => `${one.name}@${one.version}`)).toEqual(versions(config));
    }
  });
});
