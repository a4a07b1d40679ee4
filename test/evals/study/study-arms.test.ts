import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configRegistry } from "../../../assembly/registry.ts";
import { ablation } from "../../../evals/study/ablation.ts";
import { makeArms, mostArms } from "../../../evals/study/study-arms.ts";
import { sweep } from "../../../evals/study/sweep.ts";
import type { MiddlewareChange } from "../../../harness/config/middleware/change-middleware.ts";
import { benchSources } from "../../../harness/config/config-source.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { loadUserMiddleware } from "../../../harness/config/middleware/load-user-middleware.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import { folderWith } from "../../harness/config/folder.ts";

/** Without the user's record of trusted files, which a test leaves alone. */
const registry = { ...configRegistry, loadUserMiddleware };
const load = (config: string, change?: MiddlewareChange, cwd = "/"): Promise<ResolvedConfig> =>
  loadConfig(benchSources({ config, cwd, defaultModel: "sim/default" }), registry, change);
const arms = async (kind: "ablation" | "sweep", config: string, plans: Parameters<typeof makeArms>[2], cwd?: string) =>
  makeArms(kind, await load(config, undefined, cwd), plans, (change) => load(config, change, cwd));
const swept = (...texts: string[]) => arms("sweep", "standard", sweep("standard", texts));
const middlewareOf = ({ middleware }: ResolvedConfig): string[] => middleware.map(({ name }) => name);

describe("an ablation", () => {
  it("has the configuration and one arm for each middleware left out, with hashes of their own, held against the whole", async () => {
    const { configurations, study } = await arms("ablation", "standard", ablation(await load("standard"), { add: false }));
    expect(configurations.map(({ name }) => name)).toEqual([
      "standard",
      "standard − local-context",
      "standard − loop-detection",
      "standard − completion-gate",
      "standard − reasoning-sandwich",
    ]);
    expect(new Set(configurations.map(({ hash }) => hash)).size).toBe(5);
    expect(middlewareOf(configurations[2] as ResolvedConfig)).toEqual(["local-context", "completion-gate", "reasoning-sandwich"]); // there are five
    expect(study).toEqual({ kind: "ablation", pairs: configurations.slice(1).map(({ name }) => ["standard", name]) });
  });

  it("leaves out by hand what a file with off: true leaves out", async () => {
    const cwd = await folderWith({ "mine.yaml": "extends: standard\nmiddleware: [{name: loop-detection, off: true}]" });
    const left = await load("standard", { name: "x", without: ["loop-detection"] });
    expect(left.hash).toBe((await load("mine.yaml", undefined, cwd)).hash);
  });

  it("adds each one alone to the configuration without any, and measures no harness twice", async () => {
    const two = await folderWith({ "two.yaml": "extends: bare\nmiddleware: [local-context, loop-detection]" });
    const { configurations, study } = await arms(
      "ablation",
      "two.yaml",
      ablation(await load("two.yaml", undefined, two), { add: true }),
      two,
    );
    // without one of two is the other alone
    expect(configurations.map(({ name }) => name)).toEqual(["two", "two − local-context", "two − loop-detection", "two − all"]);
    expect(study.pairs).toEqual([
      ["two", "two − local-context"],
      ["two", "two − loop-detection"],
      ["two − all", "two − loop-detection"],
      ["two − all", "two − local-context"],
    ]);
    const one = await folderWith({ "one.yaml": "extends: bare\nmiddleware: [loop-detection]" });
    const least = await arms("ablation", "one.yaml", ablation(await load("one.yaml", undefined, one), { add: true }), one);
    expect(least.study.pairs).toEqual([["one", "one − loop-detection"]]);
  });

  it("works on a middleware of the user's own, by the name it gives itself", async () => {
    const cwd = await folderWith({
      "arm.yaml": "extends: bare\nmiddleware: [loop-detection, {name: ./own.ts, least: 2}]",
      "own.ts": `import { middleware } from "forge-lab";\nimport { z } from "zod";\nexport default middleware("own.one", "1", z.strictObject({ least: z.int().min(1), most: z.int().default(9) }), () => ({}));`,
    });
    const base = await load("arm.yaml", undefined, cwd);
    const { configurations } = await arms("ablation", "arm.yaml", ablation(base, { add: false }), cwd);
    expect(configurations.map(middlewareOf)).toEqual([["loop-detection", "own.one"], ["own.one"], ["loop-detection"]]);
    const set = await arms("sweep", "arm.yaml", sweep("arm", ["own.one.most=3,4"]), cwd);
    expect(set.configurations.map(({ middleware }) => middleware[1]?.options)).toEqual([
      { least: 2, most: 9 },
      { least: 2, most: 3 },
      { least: 2, most: 4 },
    ]);
  });

  it("refuses a configuration without middleware", async () => {
    const base = await load("bare");
    expect(() => ablation(base, { add: true })).toThrow(/^--ablate bare: this configuration has no middleware that could be left out/);
  });
});

describe("a sweep", () => {
  it("makes an arm of each value, and takes the configuration itself for the value it has", async () => {
    const { configurations, study } = await swept("loop-detection.fileSoft=3,5,8");
    expect(configurations.map(({ name }) => name)).toEqual([
      "standard",
      "standard · loop-detection.fileSoft=3",
      "standard · loop-detection.fileSoft=8",
    ]);
    expect(configurations.map(({ middleware }) => middleware[1]?.options["fileSoft"])).toEqual([5, 3, 8]);
    expect(study.pairs).toEqual([
      ["standard", "standard · loop-detection.fileSoft=3"],
      ["standard", "standard · loop-detection.fileSoft=8"],
    ]);
  });

  it("keeps the other options that the configuration gives, and reads values as a configuration's file does", async () => {
    const cwd = await folderWith({ "a.yaml": "extends: standard\nmiddleware: [{name: loop-detection, fileHard: 30}]" });
    const { configurations } = await arms(
      "sweep",
      "a.yaml",
      sweep("a", ["loop-detection.cycle=false,{min: 2, max: 3}", "completion-gate.mode=checklist,off"]),
      cwd,
    );
    expect(configurations.map(({ name }) => name)).toEqual([
      "a",
      "a · loop-detection.cycle=false · completion-gate.mode=checklist",
      "a · loop-detection.cycle=false · completion-gate.mode=off",
      "a · loop-detection.cycle={min:2,max:3} · completion-gate.mode=checklist",
      "a · loop-detection.cycle={min:2,max:3} · completion-gate.mode=off",
    ]);
    for (const { middleware } of configurations) expect(middleware[1]?.changed["fileHard"]).toBe(30);
  });

  it.each([
    [
      "loop-detection.fileSoft=five",
      /middleware\[1\]\.fileSoft: expected 0 or a whole number from 2 to 100, got "five" \(--sweep loop-detection\.fileSoft=five\)$/,
    ],
    ["loop-detection.filesoft=3", /unknown key, did you mean "fileSoft"\? \(--sweep loop-detection\.filesoft=3\)$/],
    [
      "loop-detection.fileSoft=12",
      /fileHard: expected more than fileSoft.*with --sweep loop-detection\.fileSoft=12 as loop-detection\.fileSoft\)$/,
    ],
    ["loop-detction.fileSoft=3", /the configuration has no middleware "loop-detction", did you mean "loop-detection"\?$/],
    ["loop-detection=3", /expected a middleware's name, a dot and an option/],
    ["loop-detection.fileSoft", /expected NAME\.OPTION=v1,v2,…/],
    ["loop-detection.fileSoft=", /a value is missing/],
    ["loop-detection.fileSoft=3,,5", /a value is missing/],
    ["loop-detection.fileSoft=[3", /the values cannot be read .*write them as in a configuration/],
    ["loop-detection.fileSoft=3,3", /the value 3 is there twice/],
    ["loop-detection.fileSoft=5", /every arm comes out as the configuration itself/],
    ["loop-detection.fileSoft=.nan", /a value is missing or no number/],
  ])("refuses %s with the place and the cure", async (text, says) => {
    await expect(async () => swept(text)).rejects.toThrow(says);
  });

  it("refuses one option twice, and a grid that is too large, before it makes an arm", () => {
    expect(() => sweep("a", ["x.y=1", "x.y=2"])).toThrow(/^--sweep x\.y: this option is swept twice/);
    const six = (key: string): string => `x.${key}=1,2,3,4,5,6`;
    expect(() => sweep("a", [six("a"), six("b")])).toThrow(`6 × 6 = 36 combinations, and one job measures ${mostArms} arms at most`);
  });

  it("makes every combination once, each set to what its name says", () => {
    const axis = fc.uniqueArray(fc.integer({ min: -5, max: 99 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(axis, { minLength: 1, maxLength: 3 }), (axes) => {
        fc.pre(axes.reduce((product, { length }) => product * length, 1) <= mostArms);
        const plans = sweep(
          "a",
          axes.map((values, i) => `m.o${i}=${values.join(",")}`),
        );
        expect(new Set(plans.map(({ change }) => change.name)).size).toBe(axes.reduce((product, { length }) => product * length, 1));
        for (const { change, against } of plans) {
          expect(against).toBe("a");
          expect(change.name).toBe(["a", ...(change.set ?? []).map(({ target, value }) => `${target}=${String(value)}`)].join(" · "));
        }
      }),
    );
  });
});
