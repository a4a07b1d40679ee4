import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../../evals/job/journal.ts";
import { needs } from "../../needs.ts";
import { onSmallDisk } from "../on-small-disk.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forge-journal-"));
  path = join(folder, "journal.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(...lines: { n: number }[]): Promise<void> {
  const journal = await openJournal(path);
  await Promise.all(lines.map((line) => journal.add(line)));
  await journal.close();
}

describe("a job's journal", () => {
  it("keeps its lines in the order in which they were added, over several openings", async () => {
    await written({ n: 1 }, { n: 2 }, { n: 3 });
    await written({ n: 4 });
    expect((await openJournal(path)).past).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  });

  it.each([
    ["half a line", '{"n": 3, "x'],
    ["a whole last line that is not JSON", "\0\0\0\0\n"],
    ["a line without its end", '{"n": 3}'],
  ])("sets %s aside and goes on behind the last whole one", async (_, tail) => {
    await written({ n: 1 }, { n: 2 });
    await appendFile(path, tail);
    await written({ n: 5 });
    expect((await openJournal(path)).past).toEqual([{ n: 1 }, { n: 2 }, { n: 5 }]);
    expect(await readFile(`${path}.torn`, "utf8")).toBe(tail);
  });

  it.skipIf(needs("mount"))("that met a full disk has no half line, and goes on when there is room again", async () => {
    await onSmallDisk(folder, "8k", async (disk) => {
      path = join(disk, "journal.jsonl");
      const journal = await openJournal(path);
      await journal.add({ n: 1 });
      await expect(journal.add({ n: 2, long: "x".repeat(20_000) })).rejects.toThrow("ENOSPC");
      await journal.add({ n: 3 });
      await journal.close();
      expect((await openJournal(path)).past).toEqual([{ n: 1 }, { n: 3 }]);
    });
  });

  it("that is damaged in the middle is an error with its place", async () => {
    await writeFile(path, '{"n":1}\nnonsense\n{"n":3}\n');
    await expect(openJournal(path)).rejects.toThrow(/byte 8 begins a line/);
  });
});
