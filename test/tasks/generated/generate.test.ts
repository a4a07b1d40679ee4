import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { createDraw } from "../../../tasks/generated/draw.ts";
import { families } from "../../../tasks/generated/families.ts";
import { levels, type Family } from "../../../tasks/generated/family.ts";
import { generateTasks } from "../../../tasks/generated/generate.ts";
import { draws } from "../../needs.ts";
import { renderTask } from "../../../tasks/generated/render-task.ts";

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-generated-"))));
afterAll(() => rm(root, { recursive: true, force: true }));

describe.each(families.map((family) => [family.name, family] as const))("family %s", (name, family) => {
  it("gives the same bytes for a seed, and another task for another one", () => {
    for (const level of levels) {
      const drawn = Array.from({ length: draws(12) }, (_, seed) => JSON.stringify(renderTask(family, level, seed).files));
      expect(Array.from({ length: draws(12) }, (_, seed) => JSON.stringify(renderTask(family, level, seed).files))).toEqual(drawn);
      const bodies = drawn.map((files) => files.replaceAll(/seed = \d+/g, ""));
      expect(new Set(bodies).size).toBe(bodies.length);
    }
  });

  it("asks in its instruction for everything that it checks, and has two wrong solutions", () => {
    for (const level of levels)
      for (let seed = 0; seed < draws(30); seed++) {
        const draft = family.draw(createDraw(name, level, seed), level);
        for (const [check, asked] of Object.entries(draft.checks)) {
          expect(draft.instruction, `${name} ${level} ${seed}: ${check}`).toContain(asked);
          expect(draft.verify).toContain(`@check("${check}")`);
        }
        expect(draft.verify.match(/@check\(/g)?.length).toBe(Object.keys(draft.checks).length);
        expect(Object.keys(draft.wrong).length).toBeGreaterThanOrEqual(2);
        expect(draft.instruction, `${name} ${level} ${seed}`).not.toMatch(/\n\n\n|\b[Aa] `?(?!us|uni|eu|one\b)[aeiou]/);
        const written = JSON.stringify(draft);
        expect(written, `${name} ${level} ${seed}`).not.toMatch(/undefined|\[object |NaN/);
      }
  });

  it("loads as a suite without a warning", async () => {
    const out = join(root, name);
    await generateTasks({ families: [family], levels, seeds: [1], out });
    const { tasks } = await loadSuite(out);
    expect(tasks.map((task) => task.metadata)).toEqual(
      [...levels].sort().map((difficulty) => ({ difficulty, family: name, split: family.split, tags: family.tags })),
    );
    expect(tasks.flatMap((task) => task.warnings)).toEqual([]);
    expect(tasks.map((task) => task.plan !== undefined)).toEqual([true, true, true]);
  });
});

it("draws within the bounds asked for, and each item once", () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(fc.integer(), { maxLength: 20 }), fc.nat(30), (seed, items, span) => {
      const draw = createDraw("law", seed);
      const number = draw.int(5, 5 + span);
      expect(number).toBeGreaterThanOrEqual(5);
      expect(number).toBeLessThanOrEqual(5 + span);
      expect(draw.shuffled(items).sort((a, b) => a - b)).toEqual([...items].sort((a, b) => a - b));
      expect(draw.some(items, Math.min(3, items.length))).toHaveLength(Math.min(3, items.length));
      expect(() => draw.some(items, items.length + 1)).toThrow(RangeError);
    }),
  );
});

it("writes nothing into a folder that is in use", async () => {
  const out = join(root, "used");
  await mkdir(out);
  await writeFile(join(out, "mine"), "");
  await expect(generateTasks({ families, levels, seeds: [1], out })).rejects.toThrow(/not empty/);
  expect(await readdir(out)).toEqual(["mine"]);
});

it("leaves nothing behind when a family cannot draw", async () => {
  const out = join(root, "broken", "suite");
  const [first] = families;
  const broken: Family = {
    ...(first as Family), // the registry is not empty
    name: "broken",
    draw: () => {
      throw new Error("no idea");
    },
  };
  await expect(generateTasks({ families: [...families.slice(0, 2), broken], levels, seeds: [1], out })).rejects.toThrow(
    "family broken, level easy, seed 1: it could not be drawn (no idea).",
  );
  expect(await readdir(root)).not.toContain("broken");
});

it("keeps scripts executable and other files not, whatever the umask", async () => {
  const before = process.umask(0o077);
  try {
    const out = join(root, "modes");
    const [name = ""] = await generateTasks({ families: families.slice(0, 1), levels: ["easy"], seeds: [1], out });
    const mode = async (path: string): Promise<number> => (await stat(join(out, name, path))).mode & 0o777;
    expect(await mode("tests/test.sh")).toBe(0o755);
    expect(await mode("tests/verify.py")).toBe(0o644);
  } finally {
    process.umask(before);
  }
});
