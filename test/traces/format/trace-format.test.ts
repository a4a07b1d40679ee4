import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventSchemas, type EventType, type TraceLine } from "../../../harness/events/schema.ts";
import { traceFormatFiles } from "../../../scripts/docs/generate-trace-format.ts";
import { runFixture } from "../../../testing.ts";
import { draws, needs } from "../../needs.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { writeRun } from "../write-run.ts";

const docs = join(import.meta.dirname, "..", "..", "..", "docs");

describe("the page of the trace format", () => {
  let files: { page: string; schema: string };
  beforeAll(async () => {
    files = await traceFormatFiles();
  });

  it("agrees with the schemas and with what the recorder writes (else: npx jiti scripts/docs/generate-trace-format.ts)", () => {
    expect(readFileSync(join(docs, "trace-format.md"), "utf8")).toBe(files.page);
    expect(readFileSync(join(docs, "trace-format.schema.json"), "utf8")).toBe(files.schema);
  });

  it("shows a whole line of each type of event, whose hash is as the page says", () => {
    const shown = [...files.page.matchAll(/^### (\S+)\n[\s\S]*?```text\n(.*)\n```/gm)];
    expect(shown.map(([, t = ""]) => t).toSorted()).toEqual(Object.keys(eventSchemas).toSorted());
    for (const [, t, line = ""] of shown) {
      const event = JSON.parse(line) as TraceLine; // its shape is checked by the schema below
      expect(event.t).toBe(t);
      expect(() => eventSchemas[t as EventType].parse(event.d)).not.toThrow();
      const hash = createHash("sha256").update(event.prev).update(Buffer.from(line).subarray(0, -72)).digest("hex");
      expect(hash).toBe(event.h);
    }
  });

  it("says of every field what it means", () => {
    const rows = [...files.page.matchAll(/^\| `(\S+)`.*\|(.*)\|$/gm)];
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter(([, , meaning = ""]) => meaning.trim() === "").map(([row]) => row)).toEqual([]);
  });

  it("shows a background command from its start to its end, in lines whose hashes are as the page says", () => {
    const [, shown = ""] = /^## Background commands\n[\s\S]*?```text\n([\s\S]*?)\n```/m.exec(files.page) ?? [];
    const events = shown.split("\n").map((line) => ({ line, event: JSON.parse(line) as TraceLine })); // checked by their schemas
    expect(events.map(({ event }) => `${event.lane} ${event.t}`)).toEqual(
      ["main/1.1", "main/2.1", "main/3.1"].flatMap((lane) => [`${lane} tool.call`, `${lane} tool.result`]),
    );
    for (const { line, event } of events) {
      expect(() => eventSchemas[event.t].parse(event.d)).not.toThrow();
      const hash = createHash("sha256").update(event.prev).update(Buffer.from(line).subarray(0, -72)).digest("hex");
      expect(hash).toBe(event.h);
    }
  });

  it("has no reference in the JSON Schema that leads nowhere", () => {
    const schema = JSON.parse(files.schema) as unknown;
    const references = [...files.schema.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path = ""]) => path.split("/"));
    expect(references.length).toBeGreaterThan(1);
    for (const path of references)
      expect(
        path.reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], schema),
        path.join("/"),
      ).toBeDefined();
  });
});

describe.skipIf(needs("python3"))("a program in another language that knows the page alone", () => {
  const root = mkdtempSync(join(tmpdir(), "forge-page-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const rebuild = (runs: readonly string[]): number => {
    const { stdout, stderr } = spawnSync("python3", [join(import.meta.dirname, "rebuild-requests.py"), ...runs], { encoding: "utf8" });
    expect(stderr).toBe("");
    const counts = [...stdout.matchAll(/^(\d+) requests/gm)].map(([, n]) => Number(n));
    expect(counts).toHaveLength(runs.length);
    return counts.reduce((sum, n) => sum + n, 0);
  };

  it("rebuilds each request of recorded runs of a real model, and comes to the hashes that stand there", () => {
    const recorded = join(import.meta.dirname, "..", "..", "..", "cli", "demo", "recorded.tar.gz");
    const folder = join(root, "recorded");
    mkdirSync(folder);
    expect(spawnSync("tar", ["-xzf", recorded, "-C", folder]).status).toBe(0);
    const traces = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("trace.jsonl"));
    expect(rebuild(traces.map((path) => dirname(join(folder, path))))).toBeGreaterThan(400);
  });

  it("and of runs with subagents, injected messages, several lanes, large payloads and texts of any characters", async () => {
    const runs: string[] = [];
    const keep = async (options: Parameters<typeof runFixture>[0]): Promise<void> => {
      runs.push(writeRun(join(root, `run-${runs.length}`), (await runFixture(options)).events));
    };
    const odd = 'tab\t nul\0 quote" back\\slash del\u007f \u2028 é 😀 lone \ud800 end';
    const script = [{ text: odd, calls: [{ name: "bash", args: { $key: odd, 2: 1e21, 1: 0.1 } }] }, { text: "y".repeat(5000) }];
    await keep({ task: odd, script, exec: () => odd.repeat(300) });
    await fc.assert(
      fc.asyncProperty(generatedRun, (generated) => keep(optionsOf(generated))),
      { numRuns: draws(25), seed: 1 },
    );
    expect(rebuild(runs)).toBeGreaterThan(2 * draws(25));
  });
});
