import { Hono, type Context } from "hono";
import { z } from "zod";
import { jobOverview } from "../../evals/job/job-overview.ts";
import type { Clock } from "../../harness/contract/ports.ts";
import { ConfigError, ForgeError } from "../../harness/errors.ts";
import type { RunOverview } from "../../traces/read/run-overview.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { createBlastAsker, type AskDry } from "./blast-asker.ts";
import { configAsked } from "./config-asked.ts";
import { guard } from "./guard.ts";
import { createJobAnswers } from "./jobs/job-answer.ts";
import { jobHead } from "./jobs/job-head.ts";
import { jobLine } from "./jobs/job-line.ts";
import { createJobList } from "./jobs/job-list.ts";
import { heatRows, trialPage } from "./jobs/job-rows.ts";
import { createJobStore, type JobStore } from "./jobs/job-store.ts";
import { createLiveJobs } from "./jobs/live-progress.ts";
import { taskAnswer } from "./jobs/task-answer.ts";
import { pageFiles } from "./page-files.ts";
import { createPlaces, type ShownFolders } from "./places.ts";
import { sentence } from "./sentence.ts";
import { runLine } from "./runs/run-line.ts";
import { entryPage, runAnswer } from "./runs/run-answer.ts";
import { runDiff } from "./runs/run-diff.ts";
import { createRunStore } from "./runs/run-store.ts";
import { searchRun, textPiece } from "./runs/run-texts.ts";

/** `cwd`: places are relative to it. `roots`: folders of jobs and runs, or in which they lie: nothing else is read. */
export interface ViewerOptions extends ShownFolders {
  /** Folder of the built pages. */
  readonly pages: string;
  readonly token: string;
  /** Asked at each request: it is known once the server listens. */
  readonly port: () => number;
  readonly clock: Clock;
  /** Runs that belong to no job, the newest first. */
  readonly otherRuns: () => Promise<readonly RunOverview[]>;
  readonly dry: AskDry;
  /** Hears what failed that should not have, in a sentence. */
  readonly onDefect: (sentence: string) => void;
}

export interface Viewer {
  fetch(request: Request): Response | Promise<Response>;
  /** Ends what goes on in the background. */
  stop(): void;
}

/** The server of `forge view`: reads jobs and runs as they are asked for, and changes nothing. */
export function createViewerApp(o: ViewerOptions): Viewer {
  const files = pageFiles(o.pages);
  const places = createPlaces(o);
  const jobs = createJobList(o.roots);
  const answers = createJobAnswers(places);
  const live = createLiveJobs(places, o.clock);
  const runs = createRunStore();
  const blast = createBlastAsker(o.dry, places);
  const stores = new Map<string, JobStore>();
  const storeAt = (place: string): JobStore => {
    const folder = places.folder(place);
    const store = stores.get(folder) ?? createJobStore(folder);
    stores.set(folder, store);
    return store;
  };
  const storeOf = (context: Context): JobStore => storeAt(asked(context, "at"));
  const storesOf = (context: Context): JobStore[] => [...new Set(severalAsked(context, "at").map(storeAt))];
  const runOf = (context: Context, name = "at") => runs.open(places.folder(asked(context, name)));

  const app = new Hono();
  app.use(guard(o));
  app.onError((error, context) => {
    if (!(error instanceof ForgeError)) o.onDefect(sentence(error));
    const status = error instanceof ForgeError ? (error.exitCode === 2 ? 400 : error.exitCode === 3 ? 404 : 422) : 500;
    return context.json({ error: sentence(error) }, status);
  });

  app.get("/api/jobs", async (context) => {
    const found = await jobs.all();
    const others = await o.otherRuns();
    return context.json({ jobs: found.jobs.map((one) => jobLine(one, places)), damaged: found.damaged, runs: others.length });
  });
  app.get("/api/runs", async (context) => {
    const { from, count } = rangeOf(context);
    const others = await o.otherRuns();
    return context.json({ total: others.length, from, items: others.slice(from, from + count).map((run) => runLine(run, places)) });
  });
  app.get("/api/job", async (context) => context.json(await jobHead(storeOf(context), places, live)));
  app.get("/api/job/rows", async (context) => {
    const order = context.req.query("order");
    const known = order === "name" || order === "difference" ? order : undefined;
    return context.json(await heatRows(storeOf(context), places, { ...rangeOf(context), order: known }));
  });
  app.get("/api/job/trials", async (context) => {
    const outcome = z.enum(["passed", "failed", "no score"]).safeParse(context.req.query("outcome")).data ?? "all";
    return context.json(await trialPage(storeOf(context), places, { ...rangeOf(context), text: context.req.query("text") ?? "", outcome }));
  });
  app.get("/api/job/verdict", async (context) => {
    const store = storeOf(context);
    return context.json(await answers.verdict([store], await isRunning(store)));
  });
  app.get("/api/job/rest", async (context) => context.json(await answers.rest([storeOf(context)])));
  app.get("/api/compare", async (context) => {
    const compared = storesOf(context);
    const running = (await Promise.all(compared.map(isRunning))).includes(true);
    const answer = await answers.verdict(compared, running);
    const damaged = compared.flatMap((store) => store.progress().damaged);
    return context.json({ ...answer, warnings: [...answer.warnings, ...damaged.map(oneLine)] });
  });
  app.get("/api/compare/rest", async (context) => context.json(await answers.rest(storesOf(context))));
  app.get("/api/job/task", async (context) => context.json(await taskAnswer(storeOf(context), places, asked(context, "task"))));

  app.get("/api/run", async (context) => context.json(runAnswer(await runOf(context), places)));
  app.get("/api/run/entries", async (context) => {
    const { from, count } = rangeOf(context);
    return context.json(entryPage(await runOf(context), from, count));
  });
  app.get("/api/run/entry-of", async (context) => {
    const outline = await runOf(context);
    return context.json({ entry: outline.entryOf(numberOf(context, "seq")) });
  });
  app.get("/api/run/text", async (context) => {
    const part = context.req.query("part") === "result" ? "result" : "body";
    return context.json(await textPiece(await runOf(context), numberOf(context, "entry"), part, numberOf(context, "from")));
  });
  app.get("/api/run/search", async (context) => context.json(await searchRun(await runOf(context), asked(context, "text"))));
  app.get("/api/diff", async (context) => context.json(await runDiff(await runOf(context, "a"), await runOf(context, "b"), places)));

  app.post("/api/blast", async (context) => {
    const given = blastSchema.safeParse(await context.req.json().catch(() => undefined)).data;
    if (!given) throw new ConfigError("Name a configuration: the path of a file, or a preset.");
    return context.json(
      blast.ask(
        configAsked(given.config, o),
        given.at.map((place) => places.folder(place)),
      ),
    );
  });
  app.get("/api/blast", (context) => {
    const answer = blast.of(asked(context, "id"));
    return answer ? context.json(answer) : context.json({ error: "That request has expired: send it again." }, 404);
  });
  app.delete("/api/blast", (context) => {
    blast.stop();
    return context.json({});
  });

  app.all("/api/*", (context) => context.json({ error: "There is nothing at that address." }, 404));
  app.get("*", (context) => {
    const file = files.get(context.req.path) ?? (context.req.path.startsWith("/assets/") ? undefined : files.get("/index.html"));
    return file ? context.body(file.content, 200, { "content-type": file.type }) : context.text("There is no such file.", 404);
  });
  return {
    fetch: (request) => app.fetch(request),
    stop() {
      live.stop();
      blast.stop();
    },
  };
}

const blastSchema = z.object({ config: z.string().trim().min(1).max(4096), at: z.array(z.string()).min(1).max(50) });

const isRunning = async ({ folder }: JobStore): Promise<boolean> => (await jobOverview(folder, { recorded: 0 })).runner !== undefined;

/** Jobs that are compared at a time. */
const mostJobs = 20;

function severalAsked(context: Context, name: string): string[] {
  const values = context.req.queries(name) ?? [];
  if (values.length < 2 || values.length > mostJobs || values.some((value) => value.length > 4096))
    throw new ConfigError(`Name two to ${mostJobs} jobs to compare: tick them in the list of jobs.`);
  return values;
}

/** Most items of a list that are sent at a time. */
const mostItems = 500;

const rangeOf = (context: Context): { from: number; count: number } => ({
  from: numberOf(context, "from"),
  count: Math.min(mostItems, numberOf(context, "count") || 100),
});

/** A whole number ≥ 0; 0 for anything else. */
function numberOf(context: Context, name: string): number {
  const value = Number(context.req.query(name));
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

function asked(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value === undefined || value.length > 4096) throw new ConfigError(`The address lacks "${name}".`);
  return value;
}
