import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { serve } from "@hono/node-server";
import { build } from "vite";
import { replayParts } from "../../../assembly/registry.ts";
import { otherConfig } from "../../../traces/replay/dry/other-config.ts";
import { findAllRuns } from "../../../traces/store/find-runs.ts";
import { otherRuns } from "../../../cli/view/other-runs.ts";
import { systemClock } from "../../../harness/system-ports.ts";
import { jobFolder } from "../../../evals/job/job-folder.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { createViewerApp } from "../../../reports/viewer/create-viewer-app.ts";
import type { AskDry } from "../../../reports/viewer/blast-asker.ts";
import { runFixture } from "../../../testing.ts";
import { createBlastRadius } from "../../../traces/replay/dry/blast-radius.ts";
import { dryRun } from "../../../traces/replay/dry/dry-run.ts";
import { loadRecording } from "../../../traces/replay/verify/load-recording.ts";
import { loopDetection } from "../../../middleware/loop-detection.ts";
import { isBuilt } from "../../../scripts/setup/prepare.mjs";
import { job, type Scores } from "../../evals/compare/scored-job.ts";
import { writeRun } from "../../traces/write-run.ts";

const pageSource = resolve(import.meta.dirname, "../../../reports/viewer/page");

/** The viewer's pages as `npm run build` made them of these sources; where it did not, made in a folder of their own. */
export async function buildPages(folder: string): Promise<string> {
  if (isBuilt()) return resolve(import.meta.dirname, "../../../dist/reports/viewer/page");
  await build({ root: pageSource, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
  return folder;
}

/** Stand-ins for tests that ask the server alone. */
export function smallPages(folder: string): string {
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Forge</title>");
  writeFileSync(join(folder, "assets", "index.js"), "");
  return folder;
}

export const temporary = (): string => mkdtempSync(join(tmpdir(), "forge-viewer-"));

/** What the verifier said, as a bench records it. */
const judged = (passed: boolean, n = 0): RunEvent => ({
  t: "verifier.result",
  lane: "trial",
  n,
  cause: [],
  d: { rewards: { reward: passed ? 1 : 0 }, passed },
});

/** Events of a small trial: it reads, edits, and is told by loop detection where it goes round in circles. */
export async function trialEvents(o: { readonly task: string; readonly says: string; readonly answer: string; readonly loops?: boolean }) {
  const again = { text: "Again.", calls: [{ name: "bash", args: { command: "make check" } }] };
  const { events } = await runFixture({
    task: o.task,
    script: [
      { text: o.says, calls: [{ name: "bash", args: { command: "cat notes.txt" } }] },
      { calls: [{ name: "edit", args: { path: "notes.txt", old_string: "milk\nbread\n", new_string: "milk\ncheese\n" } }] },
      ...(o.loops ? [again, again, again, again] : []),
      { text: "Done." },
    ],
    tools: { bash: () => o.answer, edit: () => "Edited notes.txt." },
    ...(o.loops ? { middleware: [loopDetection.create(loopDetection.options.parse({ repeatWarn: 2 }))] } : {}),
  });
  return events;
}

/** Writes a job with its results, and a trace for each that `eventsOf` gives events for. */
export async function writeJob(
  folder: string,
  scores: Record<string, Scores>,
  o: { readonly eventsOf?: (record: TrialRecord) => Promise<readonly RunEvent[]>; readonly ended?: boolean } = {},
): Promise<void> {
  const { lock, records } = job(scores, { folder });
  const place = jobFolder(folder);
  mkdirSync(folder, { recursive: true });
  const repeats = Math.max(...records.map(({ repeat }) => repeat));
  writeFileSync(place.lock, JSON.stringify({ ...lock, repeats }));
  for (const record of records) {
    const trace = place.attempt(record, record.attempt);
    mkdirSync(join(folder, place.trial(record)), { recursive: true });
    writeFileSync(join(folder, place.trial(record), "result.json"), JSON.stringify({ ...record, trace }));
    const events = await o.eventsOf?.(record);
    if (events) writeRun(join(folder, trace), [...ofTrial(events, record), judged(record.passed === true)]);
  }
  const lines = [{ t: "job.open", ts: 0, jobs: 1 }, ...((o.ended ?? true) ? [{ t: "job.close", ts: Date.now(), status: "finished" }] : [])];
  writeFileSync(place.journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** A bench says in a run's first event which trial it is. */
const ofTrial = (events: readonly RunEvent[], { task, configuration }: TrialRecord): RunEvent[] =>
  events.map((event) => (event.t === "run.start" && event.lane === "main" ? { ...event, d: { ...event.d, meta: { trial: { task, configuration } } } } : event)); // prettier-ignore

const dry: AskDry = async (config, folders, { onRun, signal }) => {
  const configFor = otherConfig(config, { cwd: process.cwd(), ...replayParts({ trust: false }) });
  const radius = createBlastRadius();
  for (const run of await findAllRuns(folders)) {
    signal.throwIfAborted();
    const trace = await loadRecording(run);
    radius.add(run, await dryRun(trace, await configFor(trace.events)));
    onRun();
  }
  return { result: radius.result(), leftOut: [] };
};

export interface RunningViewer {
  readonly origin: string;
  readonly token: string;
  /** A page's address, with the token the first time. */
  address(path: string): string;
  /** As the page asks. */
  ask(path: string, o?: { readonly method: string; readonly body: string }): Promise<Response>;
  close(): Promise<void>;
}

/** The real server on a free port. Places are relative to the roots' folder. */
export async function startViewer(roots: readonly string[], pages: string): Promise<RunningViewer> {
  const token = "t".repeat(32);
  let port = 0;
  const app = createViewerApp({
    cwd: dirname(roots[0] ?? "/"),
    roots,
    pages,
    token,
    port: () => port,
    clock: systemClock,
    otherRuns: otherRuns(roots),
    dry: (config, folders, o) => dry(config, folders.map((folder) => resolve(dirname(roots[0] ?? "/"), folder)), o), // prettier-ignore
    onDefect: (sentence) => void process.stderr.write(`${sentence}\n`),
  });
  const server = serve({ fetch: (request) => app.fetch(request), hostname: "127.0.0.1", port: 0 }) as Server; // made without options of its own, it is node:http's
  if (!server.listening) await once(server, "listening");
  port = (server.address() as AddressInfo).port; // a listening TCP server has one
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    token,
    address: (path) => `${origin}${path}#token=${token}`,
    ask: (path, o) => fetch(`${origin}/api/${path}`, { ...o, headers: { authorization: `Bearer ${token}` } }),
    async close() {
      app.stop();
      server.closeAllConnections();
      await new Promise((settle) => server.close(settle));
    },
  };
}
