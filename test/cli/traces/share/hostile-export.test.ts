import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { exportFormats } from "../../../../cli/traces/share/export-formats.ts";
import { ForgeError } from "../../../../harness/errors.ts";
import type { RunEvent } from "../../../../harness/events/schema.ts";
import { runFixture } from "../../../../testing.ts";
import { createRequestRehasher } from "../../../../traces/bundle/rehash-requests.ts";
import { openExport } from "../../../../traces/export/exported-run.ts";
import { trajectorySchema } from "../../../../traces/export/atif/trajectory.ts";
import { generatedRun, optionsOf } from "../../../traces/generated-run.ts";
import { writeRun } from "../../../traces/write-run.ts";
import { draws } from "../../../needs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-hostile-export-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** Another JSON value at some place of some event's data. */
const change = fc.tuple(fc.nat(), fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("__proto__", "\ud800", -1, 1e308)));

function changed(events: readonly RunEvent[], [which, at, value]: readonly [number, number, unknown]): RunEvent[] {
  const copy = JSON.parse(JSON.stringify(events)) as RunEvent[];
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const walk = (holder: object): void => {
    for (const [key, item] of Object.entries(holder)) {
      places.push([holder as Record<string, unknown>, key]); // of lists too
      if (typeof item === "object" && item !== null) walk(item as object);
    }
  };
  walk(copy[which % copy.length]?.d ?? {});
  const [holder, key] = places[at % Math.max(1, places.length)] ?? [];
  if (holder && key !== undefined) holder[key] = value;
  return copy;
}

/** With the hashes that its requests need to be taken for whole, where they can be made at all. */
function fitting(events: readonly RunEvent[]): readonly RunEvent[] {
  try {
    return events.map(createRequestRehasher());
  } catch {
    return events;
  }
}

describe("a trace that somebody made up, with hashes that fit", () => {
  it("is exported to every format, or refused with a sentence", async () => {
    let whole = 0;
    const [generated] = fc.sample(generatedRun, { numRuns: draws(20), seed: 7 }).filter((run) => run.does.includes("injects") && run.cancelAfter === undefined); // prettier-ignore
    if (!generated) throw new Error("The seed draws no run that injects and is not cancelled: take another.");
    const runs = [
      (
        await runFixture({
          task: "Look.",
          script: [{ text: "I look.", calls: [{ name: "bash", args: { a: 1 } }] }, { text: "ok" }],
          exec: () => "x",
        })
      ).events,
      (await runFixture(optionsOf(generated))).events,
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...runs), fc.array(change, { minLength: 1, maxLength: 3 }), async (events, changes) => {
        const folder = writeRun(join(root, `run-${made++}`), fitting(changes.reduce((now, one) => changed(now, one), [...events])));
        try {
          const run = await openExport(folder, () => (text) => text);
          for (const format of Object.values(exportFormats)) expect([...(await format.write(run)).keys()].length).toBeGreaterThan(0);
          const [[, trajectory] = []] = await exportFormats.atif.write(run);
          trajectorySchema.parse(JSON.parse(String(trajectory)));
          whole++;
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
        }
      }),
      { numRuns: draws(400), seed: 1 },
    );
    expect(whole).toBeGreaterThan(draws(400) / 20);
  });
});
