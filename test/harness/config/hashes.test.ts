import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware, type AnyMiddlewareDefinition } from "../../../harness/contract/middleware.ts";
import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import { modelIdentityHash } from "../../../harness/config/model-identity.ts";
import type { ConfigFile } from "../../../harness/config/schema.ts";
import { registry } from "./registry.ts";

const load = (config: ConfigFile, known: Record<string, AnyMiddlewareDefinition> = {}) =>
  loadConfig([{ kind: "values", label: "test", config: { model: "sim/default", ...config } }], {
    ...registry,
    middleware: { ...registry.middleware, ...known },
  });
const hash = async (config: ConfigFile, known: Record<string, AnyMiddlewareDefinition> = {}) => (await load(config, known)).hash;

/** A middleware with these options, all with defaults; `version` as given. */
const probe = (options: Record<string, number>, version = "1") =>
  middleware(
    "probe",
    version,
    z.strictObject(Object.fromEntries(Object.entries(options).map(([k, v]) => [k, z.int().default(v)]))),
    () => ({}),
  );
const optionNames = fc.uniqueArray(
  fc.stringMatching(/^[a-z]{1,6}$/).filter((name) => name !== "name" && name !== "off"),
  { minLength: 1, maxLength: 5 },
);

describe("the harness hash", () => {
  it("is unchanged by an option added at its default, also when that default is written out", async () => {
    await fc.assert(
      fc.asyncProperty(optionNames, fc.array(fc.nat(9), { minLength: 5, maxLength: 5 }), fc.nat(9), async (keys, values, added) => {
        const given = Object.fromEntries(keys.map((key, i) => [key, values[i] ?? 0]));
        const old = probe(Object.fromEntries(keys.map((key) => [key, 3])));
        const newer = probe({ ...Object.fromEntries(keys.map((key) => [key, 3])), addedLater: added });
        const entry = { name: "probe", ...given };
        const before = await hash({ middleware: [entry] }, { probe: old });
        expect(await hash({ middleware: [entry] }, { probe: newer })).toBe(before);
        expect(await hash({ middleware: [{ ...entry, addedLater: added }] }, { probe: newer })).toBe(before);
        expect(await hash({ middleware: [{ ...entry, addedLater: added + 1 }] }, { probe: newer })).not.toBe(before);
      }),
    );
  });

  it("knows nothing of snapshots, which change no run", async () => {
    expect(await hash({ snapshots: false })).toBe(await hash({}));
    expect(await load({ snapshots: false })).toMatchObject({ snapshots: false });
    expect(await load({ snapshots: true })).toEqual(await load({}));
  });

  it("does not depend on the order of keys", async () => {
    await fc.assert(
      fc.asyncProperty(optionNames, fc.nat(), async (keys, rotation) => {
        const options = keys.map((key, i) => [key, i + 10] as const);
        const at = rotation % options.length;
        const turned = [...options.slice(at), ...options.slice(0, at)];
        const known = { probe: probe(Object.fromEntries(keys.map((key) => [key, 0]))) };
        const one = { name: "probe", ...Object.fromEntries(options) };
        const other = { ...Object.fromEntries(turned), name: "probe" };
        expect(await hash({ middleware: [other], limits: { turns: 5, tokens: 9 } }, known)).toBe(
          await hash({ limits: { tokens: 9, turns: 5 }, middleware: [one] }, known),
        );
      }),
    );
  });

  it("depends on the order of middleware", async () => {
    const names = ["local-context", "completion-gate", "loop-detection"];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(names), fc.shuffledSubarray(names), async (a, b) => {
        const same = a.join() === b.join();
        expect((await hash({ middleware: a })) === (await hash({ middleware: b }))).toBe(same);
      }),
    );
  });

  it("changes with what changes behaviour, and not with model, sampling, server or name", async () => {
    const base = await hash({});
    const changed: ConfigFile[] = [
      { tools: ["bash", "read"] },
      { limits: { turns: 49 } },
      { limits: { tokens: 5 } },
      { prompt: { house: "Tabs." } },
      { model: { name: "sim/default", protocol: "text" } },
      { middleware: ["local-context"] },
      { middleware: [{ name: "local-context", depth: 4 }] },
    ];
    const hashes = await Promise.all(changed.map((config) => hash(config)));
    expect(new Set([base, ...hashes]).size).toBe(changed.length + 1);
    const model = { name: "openai/x", temperature: 0, effort: "high", baseUrl: "http://localhost:1", extra: { top_k: 1 } } as const;
    expect(await hash({ model })).toBe(base);
  });

  it("changes with a middleware's version", async () => {
    const config = { middleware: ["probe"] };
    expect(await hash(config, { probe: probe({ a: 1 }) })).not.toBe(await hash(config, { probe: probe({ a: 1 }, "2") }));
  });
});

describe("canonical JSON", () => {
  it("is the same text for equal values and reads back as the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe("the model identity", () => {
  const identity = { provider: "openai", name: "qwen", protocol: "native", priceTable: "1", contextTokens: 8192 } as const;
  const params = { temperature: 0.7, maxOutputTokens: 100 };
  it("changes with fingerprint, sampling, effort and context length; not with protocol or prices", () => {
    const base = modelIdentityHash(identity, params);
    expect(modelIdentityHash({ ...identity, protocol: "text", priceTable: null }, params)).toBe(base);
    const others = [
      modelIdentityHash({ ...identity, fingerprint: "abc" }, params),
      modelIdentityHash({ ...identity, contextTokens: 4096 }, params),
      modelIdentityHash({ ...identity, extra: { top_k: 1 } }, params),
      modelIdentityHash(identity, { ...params, temperature: 0.2 }),
      modelIdentityHash(identity, { ...params, effort: "high" }),
      modelIdentityHash(identity, { ...params, topP: 0.5 }),
    ];
    expect(new Set([base, ...others]).size).toBe(others.length + 1);
  });
});
