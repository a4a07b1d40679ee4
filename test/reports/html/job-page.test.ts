import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { compare, type CompareOptions } from "../../../evals/compare/compare.ts";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import { jobReport, type JobReport } from "../../../evals/report/job-report.ts";
import { jobPage } from "../../../reports/html/job-page.ts";
import { jobReportMarkdown } from "../../../reports/markdown/job-report.ts";
import { describeReport } from "../../../reports/terminal/job-report.ts";
import { chromiumFlags, chromiumPath } from "../../../scripts/setup/chromium.mjs";
import { job, suite } from "../../evals/compare/scored-job.ts";
import { needs } from "../../needs.ts";
import { nestingFaults, reachesOut } from "./page-checks.ts";

const reportOf = (one: FinishedJob, o: CompareOptions = {}): Promise<JobReport> => jobReport([one], compare([one], o));
const pageOf = async (one: FinishedJob, o: CompareOptions = {}): Promise<string> => jobPage(await reportOf(one, o), (run) => run);
const texts = (page: string): string => page.replace(/<style>[^<]*<\/style>/, "").replaceAll(/<[^>]*>/g, " ");

const better = job({ bare: suite(40, () => 0, 3), careful: suite(40, (i) => (i < 30 ? 1 : i === 30 ? null : 0), 3) });

describe("the page of a job", () => {
  it("says the verdict before anything else that is longer than a title", async () => {
    const page = await pageOf(better);
    const [first] = texts(page.slice(page.indexOf("</h1>")))
      .trim()
      .split(/\s{2,}|\n/);
    expect(first).toMatch(/^careful is better than bare by 7\d points/);
  });

  it("has every part, each reached from the contents, each drawing told in words and as a table", async () => {
    const page = await pageOf(better, { margin: 0.05 });
    const ids = [...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(
      ["differences", "configurations", "flips", "tasks", "cost", "distributions", "outcomes", "interventions", "changes", "reproduce", "trials"], // prettier-ignore
    );
    for (const id of ids) expect(page).toContain(`<a href="#${id}">`);
    for (const [drawing] of page.matchAll(/<svg[^>]*>/g)) expect(drawing).toMatch(/aria-hidden="true"|role="img" aria-label="[^"]+"/);
    for (const table of page.split("<table").slice(1)) expect(table).toMatch(/^[^>]*><caption>[^<]+<\/caption><thead><tr><th scope="col"/);
    expect(page.match(/The same as a table/g)).toHaveLength(3);
    expect(page).toContain("trials without a score against the claim");
    expect(nestingFaults(page)).toEqual([]);
  });

  it("tells a mark from another by its shape, not by colour alone", async () => {
    const page = await pageOf(job({ a: { x: [1, 0, 0.5, null] }, b: { x: [1, 1, 1, 1] } }));
    const marks = texts(page.slice(page.indexOf('class="heat"'))).replaceAll(/\s/g, "");
    expect(marks).toContain("●○◐–");
    expect(page).toMatch(/title="repeat 2: ended, wrong, 2 turns"/);
  });

  it("says why it has no verdict: one configuration, a simulated model, what cannot be compared", async () => {
    expect(texts(await pageOf(job({ only: suite(20, () => 1) })))).toContain("only passed 20 of 20 scored trials");
    expect(texts(await pageOf(job({ a: suite(20, () => 1), b: suite(20, () => 0) }, { simulated: true })))).toMatch(
      /suite \(simulated\): a, b\s+Verdict withheld: the model is simulated\./,
    );
    const apart = [job({ a: suite(20, () => 1) }), job({ a: suite(20, () => 1) }, { folder: "jobs/b", sandbox: "local" })];
    const page = jobPage(await jobReport(apart, compare(apart)), () => undefined);
    expect(texts(page)).toContain("Not comparable: jobs/a and jobs/b differ in the sandbox: docker and local.");
    expect(nestingFaults(page)).toEqual([]);
  });

  it("counts the verdicts of several pairs, and then says each", async () => {
    const three = job({ a: suite(40, () => 0, 3), b: suite(40, () => 1, 3), c: suite(40, (i) => i % 2, 3) });
    const text = texts(await pageOf(three));
    expect(text).toMatch(/b is better than both others\./);
    expect(text).toContain("c is worse than b");
  });

  it("links each run where it can be reached, and shows it without a link where it cannot", async () => {
    const report = await reportOf(better);
    expect(jobPage(report, () => "../jobs/a b/x#y")).toContain('href="../jobs/a%20b/x%23y/"');
    expect(jobPage(report, () => undefined)).not.toMatch(/href="(?!#)/);
  });
});

describe("the event at which two runs part", () => {
  const side = { lane: "main", seq: 34, says: "bash: ls", after: [] };
  const parted = async (): Promise<JobReport> => {
    const report = await reportOf(better);
    const { comparison } = report;
    const pairs = comparison.pairs.map((pair) => ({ ...pair, flips: pair.flips.map((flip) => ({ ...flip, runA: "jobs/a b/1", runB: "jobs/a/2", parting: { turn: 3, a: side, b: side } })) })); // prettier-ignore
    return { ...report, comparison: { ...comparison, pairs } };
  };

  it("is named with what to type where the page cannot lead there: a folder's listing says nothing of an event", async () => {
    const page = jobPage(await parted(), (run) => `../${run}`);
    expect(page).toContain(
      '<a href="../jobs/a/2/" title="jobs/a/2" aria-label="jobs/a/2">run</a>, event 34 <code class="type">forge view jobs/a/2:34</code>',
    );
    expect(page).toContain('<code class="type">forge view &#39;jobs/a b/1:34&#39;</code>');
    expect(page).not.toContain(">event 34</a>");
  });

  it("is a link where it can", async () => {
    const page = jobPage(await parted(), (run, seq) => `run/${run}${seq === undefined ? "" : `:${seq}`}`);
    expect(page).toContain('<a href="run/jobs/a/2%3A34/" title="jobs/a/2:34" aria-label="jobs/a/2:34">event 34</a>');
    expect(page).not.toContain("forge view");
  });
});

const attack = `<script>alert(1)</script>"onload='x' &amp; \u001b[2J\u202Etxt.exe\u200b`;

describe("text of others in a page", () => {
  const hostile = job(
    { [`bare${attack}`]: suite(20, () => 1), [`b${attack}`]: suite(20, (i) => i % 2) },
    { model: `m${attack}`, folder: `jobs/${attack}`, family: (task) => `${task.slice(-1)}${attack}` },
  );

  it("is shown, and does nothing: markup, escape sequences, direction marks, addresses of runs", async () => {
    const records = hostile.records.map((record, i) => ({
      ...record,
      task: `${record.task}${attack}`,
      trace: i === 0 ? "javascript:alert(1)" : attack,
      outcome: { type: "limit", limit: attack },
    }));
    const page = jobPage(await reportOf({ ...hostile, records }), () => "javascript:alert(1)");
    expect(reachesOut(page)).toEqual([]);
    expect(page).not.toMatch(/<script|href="javascript:/i);
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;onload=&#39;x&#39; &amp;amp; ␛[2J⟨U+202E⟩txt.exe⟨U+200B⟩");
    expect(page).not.toMatch(/[^\P{C}\n]/u);
    expect(nestingFaults(page)).toEqual([]);
  });

  it("cannot steer the terminal or the Markdown either", async () => {
    const report = await reportOf(hostile);
    expect(stripVTControlCharacters(describeReport(report))).not.toMatch(/[^\P{C}\n]/u);
    expect(describeReport(report)).not.toContain("\u001b[2J");
    expect(jobReportMarkdown(report)).not.toMatch(/<script|[^\P{C}\n]/u);
  });

  it("whatever it is, leaves the page whole", async () => {
    const name = fc.string({ unit: fc.oneof(fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), fc.constantFrom("<", ">", '"', "'", "&", "/", "=", "\u0000", "\u202E", "\uD800")), maxLength: 20 }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(name, name, async (task, configuration) => {
        const page = await pageOf(job({ [configuration]: { [task]: [1, 0] }, other: { [task]: [0, 0] } }));
        expect(nestingFaults(page)).toEqual([]);
        expect(reachesOut(page)).toEqual([]);
        expect(page).not.toMatch(/[^\P{C}\n]/u);
      }),
      { numRuns: 15 },
    );
  });
});

describe("the page as one file", () => {
  it("fetches nothing and runs nothing, and forbids both to whatever gets into it", async () => {
    const page = await pageOf(better);
    expect(reachesOut(page)).toEqual([]);
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src`);
    expect(page).not.toContain("http://");
    expect(page).not.toContain("https://");
  });

  it("stays under 2 MB with 1,000 trials whose names are long", async () => {
    const long = (i: number): string => `a-task-with-a-name-of-some-length-as-they-are-in-the-wild-${i}`;
    const scores = (salt: number) => Object.fromEntries(Array.from({ length: 125 }, (_, i) => [long(i), [0, 1, 0, 1].map((x) => (x + i * salt) % 2)])); // prettier-ignore
    const thousand = job({ "configuration-one": scores(0), "configuration-two": scores(1) }, { folder: "jobs/2026-11-22-a-long-name" });
    const records = thousand.records.map((record) => ({ ...record, trace: `trials/${record.task}/${record.configuration}/${record.repeat}/attempt-1` })); // prettier-ignore
    expect(records).toHaveLength(1000);
    const page = await pageOf({ ...thousand, records });
    expect(page.match(/href="jobs\//g)?.length).toBeGreaterThanOrEqual(2000);
    expect(Buffer.byteLength(page)).toBeLessThan(2_000_000);
  });

  it("takes as much as a mail does of tens of thousands of trials, of a hundred configurations, of one task with a thousand repeats", async () => {
    const scores = (tasks: number, repeats: number, salt: number) => Object.fromEntries(Array.from({ length: tasks }, (_, i) => [`a-task-with-a-name-of-some-length-${i}`, Array.from({ length: repeats }, (_x, r) => ((i + r) * salt) % 2)])); // prettier-ignore
    const many = await pageOf(job({ one: scores(10_000, 2, 0), two: scores(10_000, 2, 1) }));
    expect(Buffer.byteLength(many)).toBeLessThan(2_000_000);
    expect(texts(many)).toMatch(/\d+ tasks more, on which the configurations differ no more than on these: forge report --json has them\./);
    expect(texts(many)).toMatch(/\d+ more, which changed no more than these: forge compare --json has them\./);
    expect(texts(many)).toMatch(/the first \d+ of 40000 trials/);
    expect(nestingFaults(many)).toEqual([]);
    const arms = await pageOf(job(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`configuration-${i}`, scores(5, 1, i)]))));
    expect(Buffer.byteLength(arms)).toBeLessThan(2_000_000);
    expect(texts(arms)).toContain("This page shows the first 60 configurations of 100: forge report --json has all.");
    const repeats = await pageOf(job({ one: scores(1, 1000, 1), two: scores(1, 1000, 0) }));
    expect(Buffer.byteLength(repeats)).toBeLessThan(2_000_000);
    expect(texts(repeats)).toContain("… 940 more");
  });
});

/** Asks the page as it is drawn: how wide it is, and whether drawings and labels lie within it. */
const measure = `
const frame = document.querySelector("iframe");
frame.onload = () => {
  const { documentElement: root } = frame.contentDocument;
  const out = [...root.querySelectorAll("main svg, main p, main h2, main .forest")].filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    return one.closest(".scroll, details") === null && (left < 0 || right > frame.clientWidth);
  });
  const small = [...root.querySelectorAll("svg text")].filter((one) => one.getBoundingClientRect().height < 10);
  const overlaps = [...root.querySelectorAll(".axis")].filter((one) => {
    const boxes = [...one.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
    return boxes.slice(1).some((box, i) => box.left < boxes[i].right);
  });
  document.body.textContent = "measured " + JSON.stringify({ width: root.scrollWidth, out: out.length, small: small.length, overlaps: overlaps.length });
};
frame.srcdoc = page;`;

describe.skipIf(needs("chromium"))("the page in Chromium", () => {
  it.each([1280, 390])("fits a screen of %i pixels: nothing beside it, labels legible and apart", async (width) => {
    const folder = mkdtempSync(join(tmpdir(), "forge-page-"));
    try {
      const html = `<!doctype html><body style="margin:0"><iframe style="border:0;width:${width}px;height:2000px"></iframe><script>const page = ${JSON.stringify(await pageOf(better, { margin: 0.05 })).replaceAll("<", "\\u003c")};${measure}</script>`;
      writeFileSync(join(folder, "frame.html"), html);
      const dom = execFileSync(
        "chromium",
        ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", `--user-data-dir=${join(folder, "profile")}`, "--window-size=1400,2100", "--virtual-time-budget=5000", "--dump-dom", pathToFileURL(join(folder, "frame.html")).href], // prettier-ignore
        { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 60_000 },
      );
      const [, found = "not measured"] = /measured (\{[^<]*\})/.exec(dom) ?? [];
      expect(JSON.parse(found)).toEqual({ width, out: 0, small: 0, overlaps: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it("holds names of one long word within a screen and a sheet of paper, and cuts none of its sentences", async () => {
    const word = (letter: string): string => letter.repeat(60);
    const long = job(
      { [word("a")]: suite(24, (i) => i % 2, 3), [word("b")]: suite(24, () => 1, 3), c: { ...suite(24, (i) => i % 3, 3), [word("t")]: [1, 0] } },
      { model: word("m"), family: () => word("f") },
    ); // prettier-ignore
    const browser = await chromium.launch({ executablePath: chromiumPath() ?? "chromium", args: chromiumFlags });
    try {
      const page = await browser.newPage();
      await page.setContent(await pageOf(long, { margin: 0.05 }));
      for (const [width, media] of [
        [1280, "screen"],
        [390, "screen"],
        [718, "print"],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ media });
        const found = await page.evaluate<[number, string[]]>(`[document.documentElement.scrollWidth,
          [...document.querySelectorAll("header, header p, main p, .side span, h3, .forest, figure${media === "print" ? ", table" : ""}")]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 || one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
            .map((one) => one.outerHTML.slice(0, 100))]`);
        expect(found, `${width} ${media}`).toEqual([width, []]);
      }
    } finally {
      await browser.close();
    }
  });
});
