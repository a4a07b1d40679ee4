import fc from "fast-check";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compare } from "../../../evals/compare/compare.ts";
import { csvRows } from "../../../evals/imported/csv-rows.ts";
import { readRuns } from "../../../evals/imported/read-runs.ts";

const root = mkdtempSync(join(tmpdir(), "forge-table-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
function file(name: string, text: string): string {
  writeFileSync(join(root, name), text);
  return join(root, name);
}
const head = "task,arm,repeat,score";
const rows = (n: number, score: (arm: string, i: number) => string | number): string =>
  ["a", "b"].flatMap((arm) => Array.from({ length: n }, (_, i) => `t${i},${arm},1,${score(arm, i)}`)).join("\n");

describe("a CSV table", () => {
  it("gets the verdict that Forge's own trials would get, and says what it does not tell", async () => {
    const runs = await readRuns(file("good.csv", `${head}\n${rows(40, (arm, i) => Number(arm === "b" || i < 10))}\n`));
    const compared = compare([], {}, [runs]);
    expect(compared.pairs[0]?.verdict.word).toBe("better");
    expect(compared.pairs[0]?.readings[0]).toMatchObject({ tasks: 40, test: "McNemar mid-p" });
    expect(compared.pairs[0]?.of).toBe("unknown");
    expect(compared.notKnown.join()).toMatch(/matched by name.*does not name the models/);
    expect(compared.arms[0]).toMatchObject({ costUsd: null, activeMs: null, turns: null, interventions: null });
  });

  it("reads other names of columns, quotes, a byte order mark, CRLF, true and false, and an empty score as none", async () => {
    const text =
      '\uFEFFTask ID,Agent,Model,attempt,Resolved,input_tokens,cost_usd\r\n"x, ""y""",one,m,1,true,7,0.5\r\n\r\nz,one,m,1,,3,0.25';
    const runs = await readRuns(file("names.csv", text));
    expect([...(runs.arms[0]?.tasks.keys() ?? [])]).toEqual(['x, "y"', "z"]);
    expect(compare([], {}, [runs]).arms[0]).toMatchObject({
      name: "one",
      model: "m",
      passed: 1,
      unscored: 1,
      costUsd: 0.75,
      tokens: { in: 10, out: null },
    });
  });

  it("counts a row that stands there twice once, and refuses one trial with two scores", async () => {
    expect((await readRuns(file("twice.csv", `${head}\nx,a,1,1\nx,a,1,1\nx,a,2,0\n`))).arms[0]?.countedOnce).toBe(1);
    await expect(readRuns(file("two.csv", `${head}\nx,a,1,1\nx,a,1,0\n`))).rejects.toThrow(
      /two\.csv, line 3: task x, a, repeat 1 has the score 0, and before it had 1; number the repeats/,
    );
  });

  it.each([
    ["nan", `${head}\nx,a,1,NaN\n`, /line 2: score is "NaN"; expected a number, true or false, or an empty cell/],
    ["infinite", `${head}\nx,a,1,1e999\n`, /line 2: score is "1e999"/],
    ["cut", `${head}\nx,a,1,1\nx,a`, /line 3: 2 cells under a head of 4/],
    ["quote", `${head}\n"x,a,1,1\ny,a,1,1\n`, /a quote opened in the row at line 2 is not closed/],
    ["columns", "a,b\n1,2\n", /no column "task" and none "score"; a table needs/],
    ["double", "task,task,score\nx,y,1\n", /two columns "task"/],
    [
      "headless",
      "t1,a,1,1\nt2,a,1,0\n",
      /no column "task" and none "score".* It has t1, a, 1, 1, which looks like a row: its first line must be the head/,
    ],
    ["empty", "", /has no trial in it/],
    ["tokens", "task,score,tokens_in\nx,1,-3\n", /line 2: tokensIn is "-3"; expected a number of 0 or more/],
    ["blank", `${head}\n   ,a,1,1\n`, /line 2: task is " {3}"; expected the name of a task/],
    ["armless", `${head}\nx,a,1,1\nx,,1,0\n`, /line 3: arm is ""; expected the name of an arm, or no such column/],
    ["space", `${head}\nx,a,1,1\nx,a ,1,0\n`, /line 3: arm is "a "; expected a name without spaces around it/],
    ["repeat", `${head}\nx,a,1,1\nx,a,1 ,1\n`, /line 3: repeat is "1 "; expected a name without spaces around it/],
    ["narrow", `${head}\nx,a,1,1\n\u00a0y,a,1,0\n`, /line 3: task is "\u00a0y"; expected a name without spaces/],
    [
      "families",
      "task,arm,score,family\nx,a,1,f\nx,b,1,g\n",
      /line 3: task x is of family g, and before it was of f; give all rows of a task the same/,
    ],
    ["nameless", `${head}\n,a,1,1\n`, /line 2: task is ""; expected the name of a task/],
  ])("says with line and cure what is wrong: %s", async (name, text, sentence) => {
    await expect(readRuns(file(`${name}.csv`, text))).rejects.toThrow(sentence);
  });

  it("is UTF-8 or refused with the line, as are JSONL lines: two names of another encoding would be read as one", async () => {
    const text = `${head}\nx,caf\u00e9,1,1\nx,caf\u00e8,1,0\n`;
    writeFileSync(join(root, "latin.csv"), Buffer.from(text, "latin1"));
    await expect(readRuns(join(root, "latin.csv"))).rejects.toThrow(
      /latin\.csv, line 2: the byte 0xE9 is not UTF-8; save the table as UTF-8, for instance by iconv -f ISO-8859-1 -t UTF-8\./,
    );
    writeFileSync(join(root, "wide.csv"), Buffer.from(`\uFEFF${text}`, "utf16le"));
    await expect(readRuns(join(root, "wide.csv"))).rejects.toThrow(/wide\.csv, line 1: the byte 0xFF is not UTF-8; .*-f UTF-16/);
    writeFileSync(
      join(root, "latin.jsonl"),
      Buffer.from('{"task":"x","arm":"a","score":1}\n{"task":"\u00e9","arm":"a","score":1}\n', "latin1"),
    );
    await expect(readRuns(join(root, "latin.jsonl"))).rejects.toThrow(/latin\.jsonl, line 2: the byte 0xE9/);
    writeFileSync(join(root, "cut.csv"), Buffer.from(`${head}\nx,caf\u00e9`, "utf8").subarray(0, -1));
    await expect(readRuns(join(root, "cut.csv"))).rejects.toThrow(/cut\.csv, line 2: the byte 0xC3/);
    expect((await readRuns(file("good.csv", text))).arms.map(({ name }) => name)).toEqual(["caf\u00e8", "caf\u00e9"]);
  });

  it("is the same comparison whatever the order of its rows", async () => {
    const lines = Array.from({ length: 40 }, (_, i) =>
      ["new", "old", "mid"].flatMap((arm, n) =>
        [1, 2, 3].map((repeat) => `t${i},${arm},${repeat},${((i * 7 + n * 3 + repeat * 5) % 10) / 10}`),
      ),
    ).flat();
    const told = async (rows: readonly string[]): Promise<string> =>
      JSON.stringify(compare([], {}, [await readRuns(file("order.csv", `${head}\n${rows.join("\n")}\n`))]));
    const once = await told(lines);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(lines, { minLength: lines.length }), async (rows) => {
        expect(await told(rows)).toBe(once);
      }),
      { numRuns: 10 },
    );
  });

  it("takes names such as __proto__ for names", async () => {
    const runs = await readRuns(file("hostile.csv", `${head}\n__proto__,constructor,1,1\nconstructor,__proto__,1,0\n`));
    expect(runs.arms.map((arm) => [arm.name, ...arm.tasks.keys()])).toEqual([
      ["__proto__", "constructor"],
      ["constructor", "__proto__"],
    ]);
  });

  it.each(["7", "-0.5", "1.0001"])("refuses a score of %s, which is on no scale from 0 to 1, with its line and the cure", async (score) => {
    await expect(readRuns(file("scale.csv", `${head}\ny,a,1,1\nx,a,1,${score}\n`))).rejects.toThrow(
      new RegExp(`scale\\.csv, line 3: the score of task x is ${score}, and scores are from 0 to 1; divide them by the most`),
    );
  });

  it("says that one arm has nothing beside it", async () => {
    const runs = await readRuns(file("alone.csv", `${head}\nx,a,1,0.7\n`));
    expect(compare([], {}, [runs]).shortcomings).toEqual(["there is one configuration only, so nothing to compare it with"]);
  });

  it("reads any cells back that were written by the rules", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", " ", "é", "\u2028"), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 }), async (table) => {
        const text = table.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")).join("\r\n");
        const read: string[][] = [];
        for await (const { cells } of csvRows(file("law.csv", text))) read.push(cells);
        expect(read).toEqual(table);
      }),
      { numRuns: 60 },
    );
  });

  it("reads a table larger than a stream's piece without holding it, cells cut anywhere", async () => {
    const path = join(root, "large.csv");
    const stream = createWriteStream(path);
    stream.write(`${head}\n`);
    for (let i = 0; i < 20_000; i++) stream.write(`"task ${i % 500}",arm-${i % 2},${Math.floor(i / 500)},${(i >> 3) & 1}\n`);
    stream.end();
    await once(stream, "finish");
    const runs = await readRuns(path);
    expect([runs.trials, ...runs.arms.map((arm) => arm.tasks.size)]).toEqual([20_000, 250, 250]);
  });
});

describe("a JSONL table", () => {
  it("reads objects a line, and names the line that is none", async () => {
    const good = '{"task":"x","arm":"a","repeat":1,"score":true}\n\n{"task":"x","arm":"b","score":null,"seconds":2}\n';
    expect(await readRuns(file("good.jsonl", good))).toMatchObject({ trials: 2, unscored: 1, format: "jsonl" });
    await expect(readRuns(file("bad.jsonl", `${good}{"task":`))).rejects.toThrow(/bad\.jsonl, line 4: this is no JSON object/);
    await expect(readRuns(file("list.jsonl", '{"task":["x"],"score":1}\n'))).rejects.toThrow(/line 1: task is a list or an object/);
  });
});
