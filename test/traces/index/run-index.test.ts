import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { runFixture } from "../../../testing.ts";
import { eventText } from "../../../traces/index/searchable-text.ts";
import { parseQuery, type Query } from "../../../traces/index/query.ts";
import { openRunIndex, type RunIndex } from "../../../traces/index/run-index.ts";
import { newestFirst, readHit, scanRun, type Hit } from "../../../traces/index/scan-run.ts";
import { runOverview } from "../../../traces/read/run-overview.ts";
import { turnsOf } from "../../../traces/read/turns.ts";
import { compressTrace } from "../../../traces/keep/compress-trace.ts";
import { pinRun } from "../../../traces/format/pin.ts";
import { recordTrace } from "../../../traces/record/record-trace.ts";
import { draws, there } from "../../needs.ts";
import { generatedRun, optionsOf } from "../generated-run.ts";
import { rowsOf } from "./rows.ts";

const root = mkdtempSync(join(tmpdir(), "forge-index-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
const fresh = (name: string): string => join(root, `${name}-${made++}`);

function write(folder: string, events: readonly RunEvent[], at = 1_700_000_000_000): string {
  const trace = recordTrace(folder, { clock: { now: () => at, sleep: async () => undefined }, micros: () => 0, sync: false });
  for (const event of events) trace.emit(event);
  trace.seal(null);
  return folder;
}

async function using<T>(path: string, act: (index: RunIndex) => Promise<T>): Promise<T> {
  const index = await openRunIndex(path);
  try {
    return await act(index);
  } finally {
    index.close();
  }
}

/** The rows of an index that is made at once of the traces as they are now. */
async function rebuilt(folders: readonly string[]): Promise<Record<string, unknown[]>> {
  const path = fresh("rebuilt");
  await using(path, async (index) => {
    for (const folder of folders) await index.update(folder);
  });
  return rowsOf(path);
}

const query = (text: string): Query => {
  const parsed = parseQuery(text);
  if (!parsed) throw new Error(`no words in ${text}`);
  return parsed;
};
const long = `It says: ${"a long line of output ".repeat(400)} needle ${"and more ".repeat(400)}`;
let events: readonly RunEvent[] = [];
beforeAll(async () => {
  const script = [{ text: "I look into Café.", calls: [{ name: "bash", args: { command: "cat haystack.txt" } }] }, { text: "found it" }];
  ({ events } = await runFixture({ script, exec: () => long, task: "Find the needle." }));
});

describe.skipIf(there("sqlite").length === 0)("the index of traces", () => {
  it("finds nothing in what does not fit its hash, and says where that is", async () => {
    const folder = write(fresh("flipped"), events);
    const trace = join(folder, "trace.jsonl");
    writeFileSync(trace, readFileSync(trace, "utf8").replace("found it", "found in"));
    await using(fresh("index"), async (index) => {
      const { fault } = await index.update(folder);
      expect(fault?.exitCode).toBe(4);
      expect(fault?.text).toMatch(/trace\.jsonl is damaged at byte \d+ \(event \d+\)/);
      expect([...index.search(query("found"), { folders: new Set([folder]) })]).toEqual([]);
    });
  });

  it("that grew with its traces, torn lines, compression, removal and replacement is row for row the one made at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(generatedRun, { minLength: 1, maxLength: 3 }),
        fc.array(fc.record({ run: fc.nat(2), part: fc.double({ min: 0, max: 1, noNaN: true }) }), { minLength: 2, maxLength: 8 }),
        fc.subarray(["compress", "remove", "replace"] as const),
        async (generated, steps, ends) => {
          const [wholes, grown] = [fresh("whole"), fresh("grown")];
          const path = fresh("index");
          const folders: string[] = [];
          for (const [i, one] of generated.entries()) {
            write(join(wholes, `${i}`), (await runFixture(optionsOf(one))).events);
            folders.push(join(grown, `${i}`));
          }
          await using(path, async (index) => {
            for (const { run, part } of steps) {
              const folder = folders[run % folders.length] ?? "";
              grow(join(wholes, `${run % folders.length}`), folder, part);
              await index.update(folder);
            }
            const [first = "", last = ""] = [folders[0], folders.at(-1)];
            for (const [i, folder] of folders.entries()) cpSync(join(wholes, `${i}`), folder, { recursive: true });
            if (ends.includes("compress")) await compressTrace(first);
            if (ends.includes("replace")) {
              rmSync(last, { recursive: true });
              write(last, events);
            }
            for (const folder of folders) await index.update(folder);
            if (ends.includes("remove")) rmSync(last, { recursive: true });
            for (const folder of folders) await index.update(folder);
          });
          expect(await rowsOf(path)).toEqual(await rebuilt(folders));
        },
      ),
      { numRuns: draws(25), endOnFailure: true },
    );
  }, 120_000);

  it("finds what reading every trace finds, newest first", async () => {
    const folders = [1, 3, 2].map((day) => write(fresh("run"), events, 1_700_000_000_000 + day));
    const none = write(fresh("other"), events.slice(0, 1), 5);
    await using(fresh("index"), async (index) => {
      for (const folder of [...folders, none]) await index.update(folder);
      for (const text of ["needle", '"a long line"', "haystack.txt", "cafe", "fou*", "needle output", "nowhere", "bash"]) {
        const scanned: Hit[] = [];
        for (const folder of folders) for await (const hit of scanRun(folder, query(text), () => undefined)) scanned.push(hit);
        const found = [...index.search(query(text), { folders: new Set(folders) })];
        expect(found, text).toEqual(scanned.toSorted(newestFirst));
        for (const hit of found.slice(0, 2)) expect((await readHit(hit)).length).toBeGreaterThan(0);
      }
      expect([...index.search(query("needle"), { folders: new Set(folders), type: ["run.start"] })].map(({ folder }) => folder)).toEqual(
        [3, 2, 1].map((day) => folders[[1, 3, 2].indexOf(day)]),
      );
    });
  });

  it("says of what it found the turn that a reader is shown, and reading says the same", async () => {
    await fc.assert(
      fc.asyncProperty(generatedRun, async (generated) => {
        const run = (await runFixture(optionsOf(generated))).events;
        const folder = write(fresh("turns"), run);
        const shown = new Map(
          turnsOf(run.map((event, seq) => ({ ...event, seq }))).flatMap(({ turn, events: own }) => own.map(({ seq }) => [seq, turn])),
        );
        const words = new Set(run.flatMap((event) => eventText(event, event.d).match(/[a-z]+/g) ?? []));
        expect(words.size).toBeGreaterThan(0);
        await using(fresh("index"), async (index) => {
          await index.update(folder);
          for (const word of [...words].slice(0, 10)) {
            const found = [...index.search(query(word), { folders: new Set([folder]) })];
            for (const hit of found) expect(hit.turn, word).toBe(shown.get(hit.seq));
            const scanned: Hit[] = [];
            for await (const hit of scanRun(folder, query(word), () => undefined)) scanned.push(hit);
            expect(scanned.toSorted(newestFirst)).toEqual(found);
          }
        });
      }),
      { numRuns: draws(15), endOnFailure: true },
    );
  });

  it("forgets runs that are gone as soon as their folder is looked through, and those alone", async () => {
    const [job, path] = [fresh("job"), fresh("index")];
    const [a, b] = [write(join(job, "a"), events), write(join(job, "b"), events)];
    const beside = write(`${job}0`, events);
    await using(path, async (index) => {
      for (const folder of [a, b, beside]) await index.update(folder);
      rmSync(a, { recursive: true });
      expect(index.runsBelow(job)).toEqual([b]);
    });
    expect(await rowsOf(path)).toEqual(await rebuilt([b, beside]));
  });

  it("agrees with reading also for generated texts", async () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9éÄß_.-]{1,6}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        fc.array(word, { maxLength: 2 }),
        async (texts, asked) => {
          const parsed = parseQuery(asked.length > 0 ? asked.join(" ") : (texts.flat()[0] ?? "x"));
          fc.pre(parsed !== undefined);
          const notes = texts.map((words, n) => ({ t: "note" as const, lane: "main", n, cause: [], d: { text: words.join(" ") } }));
          const folder = write(fresh("notes"), notes);
          const scanned: Hit[] = [];
          for await (const hit of scanRun(folder, parsed, () => undefined)) scanned.push(hit);
          await using(fresh("index"), async (index) => {
            await index.update(folder);
            expect([...index.search(parsed, { folders: new Set([folder]) })]).toEqual(scanned.toSorted(newestFirst));
          });
        },
      ),
      { numRuns: draws(60) },
    );
  });

  it("knows runs and their overviews as reading them does, after each change, though it looks at folders' times alone", async () => {
    const job = fresh("job");
    const a = write(join(job, "trials", "a", "attempt-1"), events);
    const b = write(join(job, "trials", "b", "attempt-1"), events);
    const path = fresh("index");
    const seen = async (): Promise<unknown> =>
      using(path, async (index) => {
        const overviews = [];
        for (const run of [...index.runsBelow(job)].toSorted()) {
          const head = await index.headOf(run); // before the overview: it may be kept without it
          overviews.push(await index.overviewOf(run));
          expect(overviews.at(-1)).toMatchObject(head);
        }
        return overviews;
      });
    const past = new Date(Date.now() - 60_000); // a change within two seconds is not trusted: the next one could have the same time
    const age = (): void => {
      for (const folder of [job, join(job, "trials"), join(job, "trials", "a"), join(job, "trials", "b"), a, b])
        if (existsSync(folder)) utimesSync(folder, past, past);
    };
    age();
    expect(await seen()).toEqual([await runOverview(a), await runOverview(b)]);
    expect(await seen()).toEqual([await runOverview(a), await runOverview(b)]);
    pinRun(b, { pinned: true, now: 0 });
    expect(await seen()).toEqual([await runOverview(a), { ...(await runOverview(b)), pinned: true }]);
    rmSync(a, { recursive: true });
    const c = write(join(job, "trials", "c", "attempt-1"), events);
    expect(await seen()).toEqual([await runOverview(b), await runOverview(c)]);
  });

  it("says of a run that grows, and is sealed, what reading it says, though its folder has the same time", async () => {
    const [whole, job] = [write(fresh("whole"), events), fresh("job")];
    const [run, path] = [join(job, "run"), fresh("index")];
    const past = new Date(Date.now() - 60_000);
    const age = (): void => {
      for (const folder of [job, run]) utimesSync(folder, past, past);
    };
    const seen = async (): Promise<unknown> =>
      using(path, async (index) => Promise.all(index.runsBelow(job).map(async (folder) => index.overviewOf(folder))));
    for (const part of [0.3, 0.6, 0.9, 1]) {
      grow(whole, run, part);
      age();
      const read = await runOverview(run);
      expect(read).toMatchObject({ state: "cut off", bytes: readFileSync(join(run, "trace.jsonl")).length });
      expect(await seen()).toEqual([read]);
      expect(await seen()).toEqual([read]);
    }
    cpSync(join(whole, "seal.json"), join(run, "seal.json")); // changes the folder's time
    for (let i = 0; i < 3; i++) {
      expect(await seen()).toEqual([await runOverview(run)]);
      if (i === 0) age();
    }
    expect(await seen()).toMatchObject([{ state: "sealed" }]);
  });

  it("knows which of thousands of runs are gone, new, or no longer runs", async () => {
    const [job, path] = [fresh("job"), fresh("index")];
    const past = new Date(Date.now() - 60_000);
    const make = (name: string): string => {
      mkdirSync(join(job, name), { recursive: true });
      writeFileSync(join(job, name, "trace.jsonl"), "");
      utimesSync(join(job, name), past, past);
      return join(job, name);
    };
    const runs = Array.from({ length: 4_200 }, (_, i) => make(`run-${i}`)); // more than are taken from the database at once
    utimesSync(job, past, past);
    const found = async (): Promise<Set<string>> => using(path, async (index) => new Set(index.runsBelow(job)));
    expect(await found()).toEqual(new Set(runs));
    expect(await found()).toEqual(new Set(runs));
    const [gone = "", bare = "", ...rest] = runs.toReversed();
    rmSync(gone, { recursive: true });
    rmSync(join(bare, "trace.jsonl"));
    const added = make("added");
    const nested = make("run-7/later");
    expect(await found()).toEqual(new Set([...rest, added, nested]));
    expect(await found()).toEqual(new Set([...rest, added, nested]));
  });

  it("tells where a damaged trace ends for it, and reads on once it is mended", async () => {
    const [folder, path] = [write(fresh("run"), events), fresh("index")];
    const file = join(folder, "trace.jsonl");
    const whole = readFileSync(file);
    const second = whole.indexOf(0x0a) + 1;
    writeFileSync(file, Buffer.concat([whole.subarray(0, second), Buffer.from("{}\n"), whole.subarray(second)]));
    await using(path, async (index) => {
      expect(await index.update(folder)).toEqual({
        state: "read",
        events: 1,
        fault: { text: expect.stringContaining(`at byte ${second} (event 1)`), exitCode: 4 },
        torn: null,
      });
      expect(await index.update(folder)).toMatchObject({ state: "unchanged", fault: { exitCode: 4 } });
      writeFileSync(file, whole);
      expect(await index.update(folder)).toMatchObject({ state: "read", fault: null });
    });
    expect(await rowsOf(path)).toEqual(await rebuilt([folder]));
  });

  it.each(["no database at all", "another version", "half of one"])("that is %s is made anew", async (kind) => {
    const [folder, path] = [write(fresh("run"), events), fresh("index")];
    await using(path, (index) => index.update(folder));
    if (kind === "another version") {
      const { default: Sqlite } = await import("better-sqlite3");
      const database = new Sqlite(path);
      database.pragma("user_version = 99");
      database.close();
    } else if (kind === "half of one") truncateSync(path, 6000);
    else writeFileSync(path, "no database\n".repeat(1000));
    await using(path, (index) => index.update(folder));
    expect(await rowsOf(path)).toEqual(await rebuilt([folder]));
  });

  it("is one index where several processes write it at once, each into the middle of the others' work", async () => {
    const job = fresh("job");
    for (const i of Array.from({ length: 30 }).keys()) write(join(job, `${i}`), events, i);
    const path = fresh("index");
    const child = join(import.meta.dirname, "index-child.ts");
    const jiti = join(import.meta.dirname, "../../../node_modules/jiti/lib/jiti-cli.mjs");
    const results = await Promise.all([1, 2, 3].map(() => execa(process.execPath, [jiti, child, path, job])));
    expect(results.map(({ stdout }) => stdout)).toEqual(["30", "30", "30"]);
    const folders = Array.from({ length: 30 }, (_, i) => join(job, `${i}`));
    expect(await rowsOf(path)).toEqual(await rebuilt(folders));
  });
});

/** Makes `folder` a copy of the whole run of which only so much has been written; what was written before stays. */
function grow(whole: string, folder: string, part: number): void {
  const bytes = readFileSync(join(whole, "trace.jsonl"));
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(whole, "blobs"))) cpSync(join(whole, "blobs"), join(folder, "blobs"), { recursive: true });
  const path = join(folder, "trace.jsonl");
  const before = existsSync(path) ? readFileSync(path).length : 0;
  writeFileSync(path, bytes.subarray(0, Math.max(before, Math.floor(bytes.length * part))));
}
