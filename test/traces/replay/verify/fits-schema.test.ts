import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventSchemas, type EventType, type RunEvent } from "../../../../harness/events/schema.ts";
import type { Json } from "../../../../harness/json.ts";
import { runFixture } from "../../../../testing.ts";
import { fitsSchema } from "../../../../traces/replay/verify/fits-schema.ts";
import { generatedRun, optionsOf } from "../../generated-run.ts";
import { draws } from "../../../needs.ts";

const types = Object.keys(eventSchemas) as EventType[]; // its own keys
const fitting = new Map(types.map((t) => [t, fitsSchema(eventSchemas[t])]));
const values = fc.constantFrom<Json>(
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  "",
  "main",
  "0".repeat(64),
  "ok",
  "done",
  [],
  [1],
  ["a"],
  {},
  { type: "done" },
  { a: [] },
);

/** The value with one thing in it, found by `at`, taken out or replaced. */
function changed(value: Json, at: number, by: Json | undefined): Json {
  const copy = structuredClone(value);
  const places: (() => void)[] = [];
  const walk = (one: Json): void => {
    if (typeof one !== "object" || one === null) return;
    for (const key of Object.keys(one)) {
      const holder = one as Record<string, Json>; // an array takes its indices the same way
      places.push(() => void (by === undefined && !Array.isArray(one) ? delete holder[key] : (holder[key] = by ?? null)));
      if (holder[key] !== undefined) walk(holder[key]);
    }
  };
  walk(copy);
  places[at % Math.max(1, places.length)]?.();
  return copy;
}

describe("the fast half of an event's check", () => {
  it("knows every type of event", () => {
    for (const t of types) expect(fitting.get(t), t).toBeTypeOf("function");
  });

  it("lets what Forge writes pass, and with anything in it changed only what zod lets pass too", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        generatedRun,
        fc.array(fc.tuple(fc.nat(), fc.option(values, { nil: undefined })), { minLength: 5, maxLength: 5 }),
        async (run, edits) => {
          const { events }: { events: readonly RunEvent[] } = await runFixture(optionsOf(run));
          for (const { t, d } of events) {
            const plain = JSON.parse(JSON.stringify(d)) as Json;
            expect(fitting.get(t)?.(plain), t).toBe(true);
            for (const [at, by] of edits) {
              const other = changed(plain, at, by);
              const allowed = eventSchemas[t].safeParse(other).success;
              if (!allowed) refused++;
              expect(fitting.get(t)?.(other), `${t} ${JSON.stringify(other)}`).toBe(allowed);
            }
          }
        },
      ),
      { numRuns: draws(40), seed: 1, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(2 * draws(40));
  });

  it("says of values that are none of an event what zod says, but for those nested deep, which are left to zod", () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.jsonValue(), (t, value) => {
        expect(fitting.get(t)?.(value)).toBe(eventSchemas[t].safeParse(value).success);
      }),
    );
    const deep = (depth: number): unknown => JSON.parse(`{"question":${'{"a":'.repeat(depth)}1${"}".repeat(depth)},"answer":null}`);
    expect(fitting.get("user.approval")?.(deep(100))).toBe(true);
    expect(fitting.get("user.approval")?.(deep(5_000))).toBe(false);
    expect(fitting.get("user.approval")?.(JSON.parse('{"question":{"a":1e999},"answer":null}'))).toBe(false);
  });

  it("is not had where a schema asks for more than it knows", () => {
    expect(fitsSchema(z.looseObject({ a: z.string().min(1) }))).toBeUndefined();
    expect(fitsSchema(z.strictObject({ a: z.string() }))).toBeUndefined();
    expect(fitsSchema(z.looseObject({ a: z.array(z.int().min(0)) }))).toBeUndefined();
    expect(fitsSchema(z.object({ a: z.string() }).catchall(z.number()))).toBeUndefined();
    expect(fitsSchema(z.array(z.string()).max(3))).toBeUndefined();
    expect(fitsSchema(z.union([z.null(), z.string().min(1)]))).toBeUndefined();
  });
});
