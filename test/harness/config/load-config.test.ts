import { describe, expect, it } from "vitest";
import { benchSources, everydaySources } from "../../../harness/config/config-source.ts";
import { explainConfig } from "../../../harness/config/explain-config.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import { folderWith } from "./folder.ts";
import { registry } from "./registry.ts";

const bench = (cwd: string, config: string, flags?: ConfigFile) =>
  loadConfig(benchSources({ cwd, config, flags, defaultModel: "sim/default" }), registry);
const benchFile = async (yaml: string, flags?: ConfigFile) => bench(await folderWith({ "arm.yaml": yaml }), "arm.yaml", flags);
const names = (config: { middleware: readonly { name: string }[] }) => config.middleware.map((each) => each.name);

describe("a configuration", () => {
  it("fills in every default where nothing is said", async () => {
    const config = await benchFile("{}");
    expect(config).toMatchObject({
      name: "arm",
      model: { name: "sim/default", protocol: "native", maxOutputTokens: 4096 },
      limits: { turns: 50, activeMs: 900_000 },
      middleware: [],
    });
    expect(config.tools.map((tool) => tool.name)).toEqual(["bash"]);
    expect(config.system.map((section) => section.name)).toEqual(["identity", "behaviour", "environment"]);
  });

  it("is called what it calls itself, else as its file, and the name is part of no hash", async () => {
    const [own, plain] = [await benchFile("name: careful 2\nextends: bare"), await benchFile("extends: bare")];
    expect([own.name, plain.name]).toEqual(["careful 2", "arm"]);
    expect(own.hash).toBe(plain.hash);
    const folder = await folderWith({ "base.yaml": "name: base of all\nextends: bare", "mine.yaml": "extends: base.yaml" });
    expect((await bench(folder, "mine.yaml")).name).toBe("mine");
    await expect(benchFile("name: a/b")).rejects.toThrow(
      'name: expected letters, digits, spaces and . @ + = - _, at most 60, got "a/b" (arm.yaml:1)',
    );
  });

  it("takes a preset by name, and presets extend presets", async () => {
    const config = await bench("/", "small-model");
    expect(config).toMatchObject({ name: "small-model", model: { name: "sim/default", protocol: "text" } });
    expect(names(config)).toEqual(["local-context", "completion-gate", "loop-detection"]);
  });

  it("patches middleware by name: in place, removed, appended; a replaced entry keeps none of its options", async () => {
    const folder = await folderWith({
      "base.yaml": "extends: standard\nmiddleware: [{name: loop-detection, fileSoft: 9, share: 0.1}]",
      "sub/arm.yaml":
        "extends: ../base.yaml\nmiddleware:\n  - {name: loop-detection, fileSoft: 4}\n  - {name: local-context, off: true}\n  - {name: required, must: x}",
    });
    const config = await bench(folder, "sub/arm.yaml");
    expect(names(config)).toEqual(["completion-gate", "loop-detection", "required"]);
    expect(config.middleware[1]).toMatchObject({ options: { fileSoft: 4, share: 0.5 }, changed: { fileSoft: 4 } });
    expect(config.middleware[2]).toMatchObject({ options: { must: "x", may: 1 }, changed: { must: "x" } });
  });

  it("keeps an option given at its default out of the changed ones", async () => {
    const config = await benchFile("middleware: [{name: completion-gate, mode: evidence, items: [read it all]}]");
    expect(config.middleware[0]?.changed).toEqual({});
  });

  it("replaces, adds and removes sections of the prompt", async () => {
    const config = await benchFile("prompt: {behaviour: Be quick., environment: '', house: Tabs only.}");
    expect(config.system.map(({ name, text }) => [name, name === "identity" ? "" : text])).toEqual([
      ["identity", ""],
      ["behaviour", "Be quick."],
      ["house", "Tabs only."],
    ]);
  });

  it("lets flags win over the file", async () => {
    const config = await benchFile("model: {name: openai/qwen, effort: high}\nlimits: {turns: 9, tokens: 100}", {
      model: { name: "openai/other" },
      limits: { turns: 3 },
    });
    expect(config).toMatchObject({ model: { name: "openai/other", effort: "high" }, limits: { turns: 3, tokens: 100, activeMs: 900_000 } });
  });

  it("sets no sampling that no configuration sets, and takes back with null what one below it sets", async () => {
    const set = "model: {temperature: 0.7, topP: 0.8}";
    expect(Object.keys((await benchFile("{}")).model)).toEqual(["name", "protocol", "maxOutputTokens"]);
    expect((await benchFile(set)).model).toMatchObject({ temperature: 0.7, topP: 0.8 });
    const folder = await folderWith({ "base.yaml": set, "arm.yaml": "extends: ./base.yaml\nmodel: {temperature: null, topP: null}" });
    expect(Object.keys((await bench(folder, "arm.yaml")).model)).toEqual(["name", "protocol", "maxOutputTokens"]);
  });

  it.each([
    ["temperature: 1", "model.temperature"],
    ["temperature: 0", "model.temperature"],
    ["topP: 0.9", "model.topP"],
    ["extra: {metadata: {}, top_k: 5}", "model.extra.top_k"],
  ])("refuses %s for a model of the Messages API, with its place", async (set, key) => {
    const folder = await folderWith({
      "base.yaml": `model:\n  name: anthropic/claude-opus-5-5\n  ${set}`,
      "arm.yaml": "extends: ./base.yaml\n",
    });
    const loading = bench(folder, "arm.yaml");
    await expect(loading).rejects.toThrow(`${key}: anthropic/claude-opus-5-5 takes no sampling parameters`);
    await expect(loading).rejects.toThrow("base.yaml:3)");
    expect((await bench(folder, "arm.yaml", { model: "openai/qwen" })).model.name).toBe("openai/qwen");
  });

  it("keeps a file's extra parameters for the model of the command line, where the file names none", async () => {
    const config = await benchFile("model: {extra: {top_k: 20}, contextTokens: 9000}", { model: "local/qwen" });
    expect(config.model).toMatchObject({ name: "local/qwen", extra: { top_k: 20 }, contextTokens: 9000 });
  });

  it("drops the server address and extra parameters of another provider's model", async () => {
    const yaml = "model: {name: openai/qwen, baseUrl: 'http://127.0.0.1:8081/v1', extra: {top_k: 20}, protocol: text}";
    expect((await benchFile(yaml)).model).toMatchObject({ baseUrl: "http://127.0.0.1:8081/v1", extra: { top_k: 20 } });
    expect((await benchFile(yaml, { model: "sim/default" })).model).toEqual({
      name: "sim/default",
      protocol: "text",
      maxOutputTokens: 4096,
    });
  });
});

describe("the everyday sources", () => {
  const files = {
    "home/.forge/config.yaml": "model: openai/mine\nlimits: {turns: 10, tokens: 1000}",
    "repo/forge.yaml": "limits: {turns: 20}\nmiddleware: [{name: loop-detection, fileSoft: 2}]",
    "repo/.forge/config.yaml": "limits: {turns: 30}\nmiddleware: [{name: local-context, off: true}]",
    "repo/.forge/settings.local.yaml": "limits: {turns: 40}",
  };
  const sources = async (o: { config?: string; flags?: ConfigFile; extra?: Record<string, string> } = {}) => {
    const root = await folderWith({ ...files, ...o.extra });
    return everydaySources({ preset: "standard", cwd: `${root}/repo`, home: `${root}/home`, repository: `${root}/repo`, ...o });
  };

  it("are laid over one another, later over earlier", async () => {
    const config = await loadConfig(await sources(), registry);
    expect(config.limits).toEqual({ turns: 40, tokens: 1000, activeMs: 900_000 });
    expect(config.model.name).toBe("openai/mine");
    expect(config.name).toBe("standard+config+forge+config+settings.local");
    expect(config.middleware.map((each) => [each.name, each.changed])).toEqual([
      ["completion-gate", {}],
      ["loop-detection", { fileSoft: 2 }],
    ]);
  });

  it("may hold comments alone", async () => {
    const config = await loadConfig(
      await sources({ extra: { "home/.forge/config.yaml": "# model: openai/mine\n" }, flags: { model: "sim/x" } }),
      registry,
    );
    expect(config).toMatchObject({ model: { name: "sim/x" }, limits: { turns: 40 } });
  });

  it("give way to --config, which starts afresh as in a bench and keeps the model alone", async () => {
    const config = await loadConfig(await sources({ config: "bare", flags: { limits: { turns: 5 } } }), registry);
    expect(config).toMatchObject({ name: "bare", middleware: [], limits: { turns: 5 }, model: { name: "openai/mine" } });
    expect(config.hash).toBe((await bench("/", "bare", { limits: { turns: 5 } })).hash);
  });

  it("start afresh at a file that extends something", async () => {
    const config = await loadConfig(await sources({ extra: { "repo/forge.yaml": "extends: bare" } }), registry);
    expect(config).toMatchObject({ name: "forge+config+settings.local", middleware: [], limits: { turns: 40 } });
    expect(config.limits.tokens).toBeUndefined();
  });

  it("are explained value by value with the file and line that set them", async () => {
    const rows = await explainConfig(await sources({ flags: { model: { effort: "low" } } }), registry);
    const from = Object.fromEntries(rows.map((row) => [row.key, row.from]));
    expect(from).toMatchObject({
      "model.name": "~/.forge/config.yaml:1",
      "model.effort": "the command line",
      "model.protocol": "default",
      "limits.turns": ".forge/settings.local.yaml:1",
      "limits.tokens": "~/.forge/config.yaml:2",
      "limits.activeMs": "default",
      tools: "preset standard",
      "middleware.loop-detection": "forge.yaml:2",
      "middleware.loop-detection.fileSoft": "forge.yaml:2",
      "middleware.loop-detection.share": "default",
      "middleware.completion-gate": "preset standard",
    });
  });
});

describe("bad input is answered in one sentence with place, key, value and cure", () => {
  const cases: [yaml: string, message: string | RegExp][] = [
    ["model: a/b\nmodle: x", 'modle: unknown key, did you mean "model"? (arm.yaml:2)'],
    ["colour: x", /^colour: unknown key, the keys here are: name, extends, model, models, tools, .*\(arm\.yaml:1\)$/],
    ["limits:\n  turns: 0", "limits.turns: expected a whole number ≥ 1, got 0 (arm.yaml:2)"],
    ["limits:\n  turns: 5\n  trns: 5", 'limits.trns: unknown key, did you mean "turns"? (arm.yaml:3)'],
    ["limits:\n  costUsd: -1", "limits.costUsd: expected a number > 0, got -1 (arm.yaml:2)"],
    ["model:\n  name: a/b\n  temperature: 9", "model.temperature: expected a number from 0 to 2 or null, got 9 (arm.yaml:3)"],
    ["model: {name: a/b, protocol: xml}", 'model.protocol: expected one of native, text, grammar, got "xml" (arm.yaml:1)'],
    ["model: 5", "model: expected a string that is not empty or a mapping of keys to values, got 5 (arm.yaml:1)"],
    ["model: qwen", 'model: expected provider/name such as openai/qwen or sim/default, got "qwen" (arm.yaml:1)'],
    ["model: {name: a/b, baseUrl: nowhere}", 'model.baseUrl: expected a URL, got "nowhere" (arm.yaml:1)'],
    ["tools: bash", 'tools: expected a list, got "bash" (arm.yaml:1)'],
    ["tools:\n  - bash\n  - raed", 'tools[1]: there is no tool "raed", did you mean "read"? (arm.yaml:3)'],
    ["tools: [bash, bash]", 'tools[1]: the tool "bash" is listed twice; take one out (arm.yaml:1)'],
    [
      "extends: bare\nmiddleware:\n  - local-context\n  - completion-gate\n  - name: loop-detection\n    fileSoft: five",
      'middleware[2].fileSoft: expected a whole number ≥ 1, got "five" (arm.yaml:6)',
    ],
    ["middleware:\n  - {name: loop-detection, filesoft: 4}", 'middleware[0].filesoft: unknown key, did you mean "fileSoft"? (arm.yaml:2)'],
    [
      "middleware: [{name: completion-gate, mode: prose}]",
      'middleware[0].mode: expected one of evidence, checklist, off, got "prose" (arm.yaml:1)',
    ],
    ["middleware: [{name: completion-gate, items: [a, 5]}]", "middleware[0].items[1]: expected a string, got 5 (arm.yaml:1)"],
    ["middleware: [loop-detector]", 'middleware[0]: there is no middleware "loop-detector", did you mean "loop-detection"? (arm.yaml:1)'],
    ["middleware: [{name: required}]", "middleware[0].must: expected a string, got nothing (arm.yaml:1)"],
    ["middleware: [{nam: required}]", /^middleware\[0\]\.name: expected a string that is not empty, got nothing \(arm\.yaml:1\)$/],
    ["middleware: [odd]", 'middleware[0]: the options of "odd" must be plain JSON after their schema has read them (arm.yaml:1)'],
    ["middleware: [mine.ts]", /^middleware\[0\]: there is no middleware "mine\.ts" \(a file of yours begins with "\.\/"\)/],
    ["middleware: [./gone.ts]", /^middleware\[0\]: there is no file .*gone\.ts; correct the path \(arm\.yaml:1\)$/],
    ["middleware: ['npm:not-there-at-all']", /^middleware\[0\]: the package "not-there-at-all" is not installed in .*; run: npm install/],
    ["prompt: {a: 5}", "prompt.a: expected a string, got 5 (arm.yaml:1)"],
    ["extends: standart", 'extends: "standart": there is no preset and no file of this name, did you mean "standard"? (arm.yaml:1)'],
    ["extends: round", /goes round in a circle: arm\.yaml → preset round → preset trip → preset round; take one of these out/],
    ["extends: ./arm.yaml", /goes round in a circle: arm\.yaml → arm\.yaml/],
    ["- a", /^the configuration: expected a mapping of keys to values, got \["a"\] \(arm\.yaml:1\)$/],
    ["limits:\n  turns: 0\nmodel: 5\nprompt: 7", "limits.turns: expected a whole number ≥ 1, got 0 (arm.yaml:2)"],
    ["colour: x\nlimits:\n  turns: 0\nshape: y", /^colour: unknown key, .* \(arm\.yaml:1\)$/],
    [
      "middleware:\n  - name: loop-detection\n    files: 3\n    fileSoft: five",
      /^middleware\[0\]\.files: unknown key, .* \(arm\.yaml:3\)$/,
    ],
    [
      "extends: bare\nmiddleware:\n  - {loop-detection: {}}",
      "middleware[0]: the name of a middleware is not a key, and its options are beside it; write {name: loop-detection} (arm.yaml:3)",
    ],
    [
      "middleware:\n  - local-context\n  - loop-detection:\n      fileSoft: 4",
      "middleware[1]: the name of a middleware is not a key, and its options are beside it; write {name: loop-detection, …} (arm.yaml:3)",
    ],
    [
      "extends: standard\nmiddleware:\n  - {name: loop-detection, fileSoft: 4}\n  - local-context\n  - loop-detection",
      'middleware[2]: the middleware "loop-detection" is listed twice; take one out (arm.yaml:5)',
    ],
    [
      "middleware:\n  - ./mine.ts\n  - ./x/../mine.ts",
      /^middleware\[1\]: the middleware "\.\/x\/\.\.\/mine\.ts" is listed twice; .* \(arm\.yaml:3\)$/,
    ],
    ["", "arm.yaml: the file is empty; write what it changes, or {} for a configuration of defaults alone."],
    ["# extends: standard\n", /^arm\.yaml: the file is empty; /],
    ["model: a/b\nlimits: [", "Not valid YAML: a bracket is not closed; close the bracket that opens on this line (arm.yaml:2)."],
    [
      "limits: {turns: 5\ntools: [bash]",
      "Not valid YAML: a bracket is not closed; close the bracket that opens on this line (arm.yaml:1).",
    ],
    ["model: 'a/b\ntools: [bash]\n", "Not valid YAML: a quote is not closed; close the quote that begins on this line (arm.yaml:1)."],
    ["tools: [bash]\ntools: [read]", "Not valid YAML: Map keys must be unique; take one of the two out (arm.yaml:2)."],
    [
      "model: a/b\n  limits: {}",
      /^Not valid YAML: a key inside a value; begin what belongs together in the same column.* \(arm\.yaml:2\)\.$/,
    ],
    ["model: a/b\nprompt: a: b", /^Not valid YAML: a key inside a value; .*, or put a value that holds ": " in quotes \(arm\.yaml:2\)\.$/],
    [
      "model: a/b\nlimits\ntools: [bash]",
      "Not valid YAML: a key without a value; write `key: value`, with a colon and a space (arm.yaml:2).",
    ],
    ["limits:\n\tturns: 5", "Not valid YAML: Tabs are not allowed as indentation; indent with spaces (arm.yaml:2)."],
    ["limits:\n  turns: 5\n tokens: 5", /^Not valid YAML: All mapping items must start at the same column; .* \(arm\.yaml:3\)\.$/],
    ["model: @x", /^Not valid YAML: .*; put the value in quotes \(arm\.yaml:1\)\.$/],
    ["model: *x", /^Not valid YAML: Unresolved alias .*; define the anchor, or put a value that begins with \* in quotes \(arm\.yaml\)\.$/],
    ["model: a/b\n---\nmodel: c/d", "Not valid YAML: more than one document; keep one and take the line `---` out (arm.yaml:2)."],
  ];
  it.each(cases)("%j", async (yaml, message) => {
    await expect(benchFile(yaml)).rejects.toThrow(expect.objectContaining({ name: "ConfigError" }));
    const said = await benchFile(yaml).catch((error: unknown) => (error instanceof Error ? error.message : ""));
    if (typeof message === "string") expect(said).toBe(message);
    else expect(said).toMatch(message);
    expect(said).not.toContain("\n");
  });

  it("an argument of --config that is neither a file nor a preset", async () => {
    await expect(bench("/", "standrad")).rejects.toThrow(
      '--config standrad: there is no preset and no file of this name, did you mean "standard"?',
    );
  });
  it("a flag", async () => {
    await expect(benchFile("{}", { limits: { turns: 0 } })).rejects.toThrow(
      "limits.turns: expected a whole number ≥ 1, got 0 (the command line)",
    );
  });
  it("no model at all", async () => {
    await expect(loadConfig(benchSources({ cwd: "/", config: "bare" }), registry)).rejects.toThrow(/No model is configured.*--model/);
  });
  it("a folder in the place of a file", async () => {
    const folder = await folderWith({ "arm.yaml/x": "" });
    await expect(bench(folder, "arm.yaml")).rejects.toThrow(/arm\.yaml: the file cannot be read \(EISDIR/);
  });
});
