import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Browser, type Page } from "playwright-core";
import { chromiumFlags, chromiumPath } from "../../setup/chromium.mjs";
import type { Measure } from "../measure.ts";
import { median } from "../median.ts";
import { recordRun } from "../record-run.ts";
import { writeLargeJob } from "../viewer/write-large-job.ts";

const size = { tasks: 500, configurations: 4, repeats: 5 };
/** Each brings four events: request, reply, call, result. */
const steps = 1_250;
const rounds = 3;

/** The viewer in Chromium: how soon the first rows of a large job are there, and the longest frame while a long trace is scrolled through. */
export async function measureViewer(root: string, folder: string, say: (line: string) => void): Promise<Measure[]> {
  const executablePath = chromiumPath();
  if (executablePath === undefined)
    return [{ what: "first page of 10,000 trials in Chromium", skipped: "chromium is not installed: apt-get install -y chromium" }];
  const [job, run] = [join(folder, "viewed", "large"), join(folder, "viewed", "long")];
  say(`viewer: a job of ${size.tasks * size.configurations * size.repeats} trials, a run of ${steps} steps`);
  const trials = await writeLargeJob(job, size);
  await recordRun(run, { steps, output: (step) => `line ${step} of the output\n`.repeat(12) });
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  try {
    const firsts = [];
    for (let round = 1; round <= rounds; round++) {
      say(`viewer: first page ${round} of ${rounds}`);
      firsts.push(await firstPage(root, job, browser));
    }
    say("viewer: scrolling");
    const { worst, frames, pixels, cpuMs } = await scrolled(root, run, browser);
    return [
      {
        what: `first page of ${trials.toLocaleString("en")} trials in Chromium`,
        value: median(firsts),
        unit: "ms",
        limit: { at: "most", value: 1000 },
        note: `from the address to the first rows, a server that has read nothing yet, median of ${rounds}`,
      },
      {
        what: "longest frame while scrolling a trace of 5,000 events",
        value: worst,
        unit: "ms",
        limit: { at: "most", value: 100 },
        note: `${frames} frames over ${pixels.toLocaleString("en")} pixels, from the first event to the last`,
      },
      {
        what: "CPU of the page's longest task meanwhile",
        value: cpuMs,
        unit: "ms",
        limit: { at: "most", value: 50 },
        note: "of its main thread, by Chromium's own trace: what a busy machine does not widen",
      },
    ];
  } finally {
    await browser.close();
  }
}

async function firstPage(root: string, job: string, browser: Browser): Promise<number> {
  return served(root, job, browser, async (page, url) => {
    const began = performance.now();
    await page.goto(url);
    await page.locator(".heat-row .heat-cell b").first().waitFor();
    return performance.now() - began;
  });
}

interface Scrolled {
  readonly worst: number;
  readonly frames: number;
  readonly pixels: number;
  readonly cpuMs: number;
}

async function scrolled(root: string, run: string, browser: Browser): Promise<Scrolled> {
  return served(root, run, browser, async (page, url) => {
    await page.goto(url);
    await page.locator(".entries article").first().waitFor();
    await page.waitForTimeout(500);
    const { gaps, height } = await page.evaluate<{ gaps: number[]; height: number }>(scrollThrough);
    const last = await page.locator(".entries [role=listitem]").last().textContent();
    if (!last?.includes("ends: done")) throw new Error(`The trace was not scrolled to its end, but to ${last?.slice(0, 80) ?? "nothing"}.`);
    await page.reload();
    await page.locator(".entries article").first().waitFor();
    await browser.startTracing(page, { categories: ["toplevel"] });
    await page.evaluate(scrollThrough);
    const cpuMs = longestTask((await browser.stopTracing()).toString("utf8"));
    return { worst: Math.max(...gaps), frames: gaps.length, pixels: Math.round(height), cpuMs };
  });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time, microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** CPU time of the longest task of a page's main thread, milliseconds. */
function longestTask(text: string): number {
  const { traceEvents } = JSON.parse(text) as { traceEvents: TraceEvent[] }; // Chromium's own format
  const mains = new Set(
    traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === "ThreadControllerImpl::RunTask" && mains.has(`${pid} ${tid}`));
  if (tasks.length === 0) throw new Error("Chromium's trace holds no task of the page.");
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

/** In the page: 400 pixels a frame, until nothing more comes. Times between frames, milliseconds. */
const scrollThrough = `new Promise((settle) => {
  const gaps = [];
  let [last, still] = [undefined, 0];
  const frame = (now) => {
    if (last !== undefined) gaps.push(now - last);
    last = now;
    const before = scrollY;
    scrollBy(0, 400);
    still = scrollY === before ? still + 1 : 0;
    if (still > 30) settle({ gaps, height: document.documentElement.scrollHeight });
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

/** With a server of its own, in a page that has shown nothing yet. */
async function served<T>(root: string, folder: string, browser: Browser, act: (page: Page, url: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), "view", folder, "--json", "--no-open"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    for await (const line of createInterface({ input: child.stdout })) {
      const { url } = JSON.parse(line) as { url: string }; // what forge view --json prints
      return await act(page, url);
    }
    throw new Error("forge view ended without an address.");
  } finally {
    await context.close();
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "exit");
  }
}
