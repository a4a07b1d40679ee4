import type { TrialPlace } from "../../../evals/trial/trial-place.ts";
import { trialFacts } from "../../../evals/report/trial-facts.ts";
import type { TrialRecord } from "../../../evals/trial/trial-record.ts";
import { byTask, heatCell, heatLegend, mostDifferentFirst } from "../../html/sections/heat-map.ts";
import { oneLine } from "../../../harness/text/printable.ts";
import type { HeatRows, Page, RowOrder, TrialLine } from "../api.ts";
import { runAddress, type Places } from "../places.ts";
import type { JobStore } from "./job-store.ts";
import { trialLine } from "./trial-line.ts";

/**
 * Some rows of task × configuration. Only their own trials are read, so that the first rows of a large job are there at once; the order by difference needs
 * all of them, and so is given only when it is asked for, or when all are read anyway.
 */
export async function heatRows(
  store: JobStore,
  places: Places,
  o: { readonly from: number; readonly count: number; readonly order: RowOrder | undefined },
): Promise<HeatRows> {
  const lock = await store.refresh();
  const configurations = Object.keys(lock.configurations);
  const { read, of } = store.progress();
  const order = o.order ?? (read === of ? "difference" : "name");
  const tasks = order === "difference" ? await byDifference(store, places, configurations) : Object.keys(lock.tasks);
  const shown = tasks.slice(o.from, o.from + o.count);
  const job = places.of(store.folder);
  const wanted = (task: string, configuration: string): TrialPlace[] =>
    Array.from({ length: lock.repeats }, (_, i) => ({ task, configuration, repeat: i + 1 }));
  const cells = shown.flatMap((task) => configurations.map((configuration) => ({ task, places: wanted(task, configuration) })));
  const records = await store.some(cells.flatMap((cell) => cell.places));
  const html = cells.map((_, i) => {
    const own = records.slice(i * lock.repeats, (i + 1) * lock.repeats);
    const trials = own.flatMap((record) => (record ? [trialFacts({ record, folder: job })] : []));
    return heatCell(trials, runAddress).html;
  });
  return {
    total: tasks.length,
    from: o.from,
    order,
    configurations: configurations.map(oneLine),
    legend: heatLegend.html,
    items: shown.map((task, i) => ({
      task,
      html: html.slice(i * configurations.length, (i + 1) * configurations.length),
    })),
  };
}

/** Tasks without a result stand last. */
async function byDifference(store: JobStore, places: Places, configurations: readonly string[]): Promise<string[]> {
  const job = places.of(store.folder);
  const records = await store.all();
  const lock = await store.refresh();
  const cells = configurations.map((name) =>
    byTask(records.filter(({ configuration }) => configuration === name).map((record) => trialFacts({ record, folder: job }))),
  );
  const found = mostDifferentFirst(cells);
  const there = new Set(found);
  return [...found, ...Object.keys(lock.tasks).filter((task) => !there.has(task))];
}

/** What a list of trials is narrowed down to. */
export interface TrialFilter {
  /** Words that stand in task, configuration, outcome or error. */
  readonly text: string;
  readonly outcome: "all" | "passed" | "failed" | "no score";
}

/** Some of the trials that fit, in the order of tasks; all of them are read first. */
export async function trialPage(
  store: JobStore,
  places: Places,
  o: TrialFilter & { readonly from: number; readonly count: number },
): Promise<Page<TrialLine>> {
  const words = o.text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (record: TrialRecord): boolean => outcomeFits(record, o.outcome) && words.every((word) => saying(record).includes(word));
  const fitting = (await store.all()).filter(fits);
  const job = places.of(store.folder);
  return { total: fitting.length, from: o.from, items: fitting.slice(o.from, o.from + o.count).map((record) => trialLine(record, job)) };
}

const saying = (record: TrialRecord): string =>
  `${record.task} ${record.configuration} #${record.repeat} ${trialFacts({ record, folder: "" }).outcome} ${record.error ?? ""}`.toLowerCase();

const outcomeFits = ({ passed }: TrialRecord, wanted: TrialFilter["outcome"]): boolean =>
  wanted === "all" || wanted === (passed === null ? "no score" : passed ? "passed" : "failed");
