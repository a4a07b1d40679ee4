import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chromiumFlags, chromiumPath } from "../../../scripts/setup/chromium.mjs";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import { thisOwner } from "../../../harness/sandbox/owner.ts";
import { job, suite } from "../../evals/compare/scored-job.ts";
import { needs } from "../../needs.ts";
import { writeRun } from "../../traces/write-run.ts";
import { buildPages, startViewer, temporary, trialEvents, writeJob, type RunningViewer } from "./viewer-fixture.ts";

const attack = `<script>window.hacked = 1</script><img src=x onerror="window.hacked=1"> </pre></article> \u001b[2J\u001b]0;x\u0007 \u202Etxt.exe\u2066 &lt;b&gt;`;
const run = "jobs/a/trials/t00/bare/1/attempt-1";
const other = "jobs/a/trials/t00/careful/1/attempt-1";

/** Every page, and what is seen of it once it is whole. */
const pages: readonly (readonly [name: string, path: string, shows: string])[] = [
  ["jobs", "/", ".line.job a"],
  ["job", "/job/jobs/a", ".heat-row .mark, .heat-row .marks a"],
  ["task", "/task/jobs/a?name=t00", ".trial a"],
  ["run", `/run/${run}`, ".entries article"],
  ["an event of a run", `/run/${run}:7`, ".row.current article"],
  ["side by side", `/diff?a=${encodeURIComponent(run)}&b=${encodeURIComponent(other)}`, ".side-cell article"],
  ["blast radius", "/blast?at=jobs/a", "form.ask"],
  ["jobs compared", "/compare?at=jobs/a&at=jobs/b", "section#tasks"],
  ["no page", "/nowhere", ".warn"],
];

describe.skipIf(needs("chromium"))("the viewer in Chromium", () => {
  let folder: string;
  let viewer: RunningViewer;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    folder = temporary();
    const [plain, looping] = await Promise.all([
      trialEvents({ task: "Shop.", says: "I look.", answer: "milk\nbread\n" }),
      trialEvents({ task: "Shop.", says: "I look.", answer: "milk\nbread\n", loops: true }),
    ]);
    await writeJob(join(folder, "jobs", "b"), { thorough: suite(16, () => 1, 2) });
    const before = new Date(Date.now() - 60_000);
    utimesSync(jobFolder(join(folder, "jobs", "b")).journal, before, before);
    await writeJob(
      join(folder, "jobs", "a"),
      { bare: suite(16, (i) => i % 2, 2), careful: suite(16, () => 1, 2) },
      { eventsOf: async ({ configuration }) => (configuration === "bare" ? looping : plain) },
    );
    viewer = await startViewer([join(folder, "jobs")], await buildPages(join(folder, "pages")));
    browser = await chromium.launch({ executablePath: chromiumPath() ?? "chromium", args: chromiumFlags });
  });
  afterAll(async () => {
    await browser.close();
    await viewer.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  afterEach(async () => {
    await context.close();
    const found = faults.splice(0);
    if (found.length > 0) throw new Error(`What the pages did wrong: ${found.join("; ")}`);
  });

  /** A window of its own, in which whatever is wrong is noted: errors, and requests that go anywhere but to the viewer. */
  async function open(path: string, o: { width?: number; dark?: boolean } = {}): Promise<void> {
    const { width = 1280, dark = false } = o;
    context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: dark ? "dark" : "light" });
    context.setDefaultTimeout(100_000);
    page = await context.newPage();
    page.on("console", (said) => {
      if (said.type() === "error" || said.type() === "warning") faults.push(said.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (asked) => {
      if (!asked.url().startsWith(viewer.origin)) faults.push(`request to ${asked.url()}`);
    });
    page.on("dialog", (dialog) => {
      faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(viewer.address(path));
  }
  const shown = async (selector: string): Promise<void> => page.locator(selector).first().waitFor();
  const text = (selector: string): Promise<string> => page.locator(selector).first().innerText();

  it("shows every page on a screen of 390 pixels and of 1280, without an error, a request elsewhere, or anything beside it", async () => {
    await open("/", { width: 390, dark: true });
    for (const [name, path, shows] of pages) {
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(viewer.origin + path);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: width === 390 ? "dark" : "light" });
        await shown(shows);
        const [wide, unnamed] = await page.evaluate<[number, string[]]>(`[
        document.documentElement.scrollWidth,
        [...document.querySelectorAll("a, button, input, select, summary")].filter((one) => one.checkVisibility() &&
          !(one.innerText || one.getAttribute("aria-label") || one.labels?.length)).map((one) => one.outerHTML),
      ]`);
        expect(wide, name).toBe(width);
        expect(unnamed, name).toEqual([]);
      }
    }
  });

  it("takes the token out of the address, and says what to do without it", async () => {
    await open("/");
    await shown(".line.job");
    expect(page.url()).toBe(`${viewer.origin}/`);
    await context.clearCookies();
    await page.evaluate("localStorage.clear()");
    await page.reload();
    await shown(".warn");
    expect(await text(".warn")).toBe("The token is missing or of another forge view: open the address that forge view printed.");
    expect(new Set(faults.splice(0))).toEqual(
      new Set(["Failed to load resource: the server responded with a status of 401 (Unauthorized)"]),
    );
  });

  it("says the verdict first, shows the parts of the report, and leads from them to the run", async () => {
    await open("/job/jobs/a");
    await shown(".verdict");
    await page.getByText("careful is better than bare").first().waitFor();
    await page.getByRole("tab", { name: "Evidence" }).click();
    await shown("#flips");
    for (const id of ["differences", "configurations", "flips", "cost", "distributions", "outcomes", "reproduce"])
      await shown(`section#${id}`);
    await page.locator("#flips a").first().click();
    await shown(".row.current article");
    expect(new URL(page.url()).pathname).toMatch(/^\/run\/jobs\/a\/trials\/t\d+\/bare\/1\/attempt-1%3A\d+\/$/);
  });

  it("holds jobs against each other that were ticked, by mouse or by keys, as forge compare does", async () => {
    await open("/");
    await shown(".line.job");
    await page.getByLabel("compare a").click();
    await page.getByText("Tick another one to compare them.").waitFor();
    await page.getByLabel("compare b").click();
    await page.getByRole("link", { name: "Compare 2 jobs" }).click();
    await page.getByText("thorough is better than bare").first().waitFor();
    for (const id of ["differences", "tasks", "configurations", "flips", "reproduce"]) await shown(`section#${id}`);
    expect(new URL(page.url()).searchParams.getAll("at")).toEqual(["jobs/a", "jobs/b"]);
    await page.goBack();
    await shown(".line.job");
    for (const key of ["j", "x", "j", "x", "c"]) await page.keyboard.press(key);
    await page.getByText("thorough is better than bare").first().waitFor();
  });

  it("is used by keys alone: to the task, two runs side by side, an intervention, a found place, and back", async () => {
    await open("/");
    await shown(".line.job");
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("j", "Enter");
    await shown(".heat-row .marks a");
    await press("j", "j");
    expect(await page.evaluate("document.activeElement.className")).toBe("row current");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await press("Enter");
    await shown(".trial a");
    await press("d");
    await shown(".part");
    await press("p");
    await shown(".row.current .part");
    await page.goto(viewer.origin + `/run/${run}`);
    await shown(".entries article");
    await press("i");
    await shown(".row.current article.harness");
    expect(await text(".row.current article.harness")).toMatch(/INTERVENTION\s+4\.1\s+loop-detection/);
    await press("/");
    await page.keyboard.type("cheese");
    await page.getByText(/^(1 place|2 places)\b/).waitFor();
    await press("Enter");
    await shown(".row.current mark");
    await press("Escape", "?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press("g", "]");
    expect(await text(".row.current .turn")).toMatch(/^Turn 2/);
    await press("u");
    await shown(".trial a");
    await press("u");
    await shown(".heat-row");
    await press("h");
    await shown(".line.job");
  });

  it("goes up by u from every page, and by j, k, Enter and x through a task's runs", async () => {
    await open("/");
    const up = async (from: string, shows: string): Promise<string> => {
      await page.goto(viewer.origin + from);
      await shown(shows);
      await page.keyboard.press("u");
      await page.waitForFunction(`location.pathname + location.search !== ${JSON.stringify(from)}`);
      return decodeURIComponent(new URL(page.url()).pathname + new URL(page.url()).search);
    };
    expect(await up(`/run/${run}`, ".entries article")).toBe("/task/jobs/a?name=t00");
    expect(await up(`/diff?a=${encodeURIComponent(run)}&b=${encodeURIComponent(other)}`, ".side-cell article")).toBe(
      "/task/jobs/a?name=t00",
    );
    expect(await up("/task/jobs/a?name=t00", ".trial a")).toBe("/job/jobs/a");
    expect(await up("/blast?at=jobs/a", "form.ask")).toBe("/job/jobs/a");
    expect(await up("/blast?at=", "form.ask")).toBe("/");
    expect(await up("/job/jobs/a", ".heat-row")).toBe("/");
    expect(await up("/compare?at=jobs/a&at=jobs/b", "section#tasks")).toBe("/");
    await page.goto(`${viewer.origin}/task/jobs/a?name=t00`);
    await shown(".trial a");
    for (const key of ["j", "x", "j", "j", "k", "x"]) await page.keyboard.press(key);
    expect(await page.locator(".row.current").innerText()).toMatch(/^repeat 2/);
    expect(await page.locator("input:checked").count()).toBe(2);
    await page.getByRole("button", { name: "Chosen runs side by side" }).waitFor();
    await page.keyboard.press("G");
    await page.keyboard.press("Enter");
    await shown(".entries article");
    expect(new URL(page.url()).pathname).toBe("/run/jobs/a/trials/t00/careful/2/attempt-1");
  });

  it("shows all that a run recorded as text, ten megabytes in one line too", async () => {
    const hostile = join(folder, "jobs", "hostile");
    const events = await trialEvents({ task: attack, says: attack, answer: `${attack}${"9".repeat(10_000_000)}` });
    writeRun(hostile, [...events, { t: attack as "note", lane: attack, n: 0, cause: [], d: { text: attack } }]);
    await open("/run/jobs/hostile");
    await shown(".entries article");
    const seen = await page.locator("main").innerText();
    expect(seen).toContain("<script>window.hacked = 1</script><img src=x onerror=");
    expect(seen).not.toMatch(/[^\P{C}\n\t]/u);
    expect(await page.evaluate("document.querySelectorAll('main script, main img').length")).toBe(0);
    await page
      .getByRole("button", { name: /all 10,000,\d+ characters|all \d+ lines/ })
      .first()
      .click();
    await page.getByRole("button", { name: "the next piece" }).click();
    await page.waitForFunction("[...document.querySelectorAll('.result pre')].some((one) => one.textContent.length > 100_000)");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1280);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await page.goto(viewer.origin);
    await page.getByText("Other runs").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    rmSync(hostile, { recursive: true });
  });

  it("shows names of tasks and configurations as text wherever they stand", async () => {
    const hostile = join(folder, "jobs", "named");
    await writeJob(hostile, { [attack]: { [`${attack}1`]: [1, 0], "../../x": [1] }, b: { [`${attack}1`]: [0], "../../x": [0, null] } });
    await open("/job/jobs/named");
    await shown(".heat-row .heat-cell b");
    await page.getByRole("tab", { name: "Evidence" }).click();
    await shown("section#reproduce");
    await page.getByRole("tab", { name: "Trials" }).click();
    await shown(".trial");
    await page.getByRole("tab", { name: "Tasks" }).click();
    await page.locator(".heat-row > a").first().click();
    await shown(".trial");
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.evaluate("document.querySelectorAll('main script, main img').length")).toBe(0);
    expect(await page.locator("body").innerText()).not.toMatch(/[^\P{C}\n\t]/u);
    rmSync(hostile, { recursive: true });
  });

  it("follows a running job: what runs now, and each result as it comes", async () => {
    const running = join(folder, "jobs", "running");
    const place = jobFolder(running);
    await writeJob(running, { bare: { one: [1], two: [1], three: [0] } }, { ended: false });
    const { records } = job({ bare: { three: [0] } }, { folder: running });
    rmSync(join(running, place.trial({ task: "three", configuration: "bare", repeat: 1 }), "result.json"));
    writeFileSync(join(running, "runner.1.json"), JSON.stringify({ ...thisOwner(), released: false }));
    const line = { task: "three", configuration: "bare", repeat: 1, attempt: 1, ts: Date.now() };
    appendFileSync(place.journal, `${JSON.stringify({ t: "attempt.start", ...line })}\n`);
    await open("/job/jobs/running");
    await page.getByText("2 of 3 trials").first().waitFor();
    await page.locator(".running").getByText("three").waitFor();
    expect(await text(".verdict")).toMatch(/^Still running/);
    const [record] = records;
    const trace = place.attempt(line, 1);
    mkdirSync(join(running, trace), { recursive: true });
    for (const file of [join(trace, "record.json"), join(place.trial(line), "result.json")])
      writeFileSync(join(running, file), JSON.stringify({ ...record, trace }));
    appendFileSync(place.journal, `${JSON.stringify({ t: "attempt.end", ...line, class: "agent" })}\n`);
    await page.locator(".heat-row", { hasText: "three" }).getByText("0/1").waitFor();
    writeFileSync(join(running, "runner.1.json"), JSON.stringify({ ...thisOwner(), released: true }));
    appendFileSync(place.journal, `${JSON.stringify({ t: "job.close", ts: Date.now(), status: "finished" })}\n`);
    await page.getByText("bare passed 2 of 3 scored trials").waitFor();
    await context.close();
    rmSync(running, { recursive: true });
  });

  it("asks for a blast radius from the page, and leads to the places that say most", async () => {
    await open("/blast?at=jobs/a");
    await page.getByLabel("Configuration: a file, or a preset").fill("standard");
    await page.keyboard.press("Enter");
    await shown("table.stack");
    expect(await text(".lead")).toMatch(/^64 runs: \d+ failed, \d+ passed\.$/);
    // the fixture's runs were never asked what local-context asks
    expect(await page.getByText(/^Requests: cannot be known in /).textContent()).toContain(
      "only a live run can show it (local-context 64)",
    );
    expect(await page.getByRole("row", { name: /^local-context/ }).textContent()).toContain("64 of 64");
    await page.getByText("local-context cannot be known in 64 runs").waitFor();
    await page.getByLabel("Configuration: a file, or a preset").fill("../../../etc/passwd");
    await page.keyboard.press("Enter");
    await page.getByText("name a preset, or a configuration").waitFor();
    expect(faults.splice(0)).toEqual(["Failed to load resource: the server responded with a status of 400 (Bad Request)"]);
    await page.getByLabel("Configuration: a file, or a preset").fill("no-such-preset");
    await page.keyboard.press("Enter");
    await shown(".warn");
    expect(await text(".warn")).toMatch(/no-such-preset.*\.$/s);
  });

  it("draws of a long list what is seen, and reaches its last row", async () => {
    const long = join(folder, "jobs", "many");
    await writeJob(long, { a: suite(100, (i) => i % 2), b: suite(100, () => 1) });
    await open("/job/jobs/many");
    await shown(".heat-row .heat-cell b");
    expect(await page.locator(".heat-row").count()).toBeLessThan(80);
    await page.keyboard.press("G");
    await page.locator("[aria-posinset='100'].current .heat-row").waitFor();
    expect(await page.locator(".heat-row").count()).toBeLessThan(80);
    await page.getByRole("tab", { name: "Trials" }).click();
    await page.getByText("200 trials", { exact: true }).waitFor();
    await page.getByLabel("Narrow the list down").fill("t99");
    await page.getByText("2 trials", { exact: true }).waitFor();
    await context.close();
    rmSync(long, { recursive: true });
  });
});
