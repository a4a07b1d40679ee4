import { relative, resolve } from "node:path";
import { compare } from "../../../evals/compare/compare.ts";
import type { FinishedJob } from "../../../evals/job/results/load-job.ts";
import { withPartings } from "../../../evals/compare/with-partings.ts";
import { jobReport } from "../../../evals/report/job-report.ts";
import { remarks } from "../../content/comparison-lines.ts";
import { configurations } from "../../html/sections/configurations.ts";
import { cost } from "../../html/sections/cost.ts";
import { differences } from "../../html/sections/differences.ts";
import { distributions } from "../../html/sections/distributions.ts";
import { flips } from "../../html/sections/flips.ts";
import { heatMap } from "../../html/sections/heat-map.ts";
import { interventions } from "../../html/sections/interventions.ts";
import { changes, reproduce } from "../../html/sections/origin.ts";
import { outcomes } from "../../html/sections/outcomes.ts";
import type { RunAddress } from "../../html/sections/run-link.ts";
import type { Section } from "../../html/sections/section.ts";
import { headline, verdictLines } from "../../content/verdict-lines.ts";
import type { JobAnswer } from "../api.ts";
import { runAddress, type Places } from "../places.ts";
import type { JobStore } from "./job-store.ts";

/** The answer of a job, or of several held against each other, and what it rests on. The verdict needs the trials' records alone; `rest` reads traces too, which takes longer. */
export interface JobAnswers {
  verdict(stores: readonly JobStore[], running: boolean): Promise<JobAnswer>;
  /** Of several jobs with the heat map of their tasks, which the page of one job draws itself. */
  rest(stores: readonly JobStore[]): Promise<JobAnswer>;
}

/** Each is made once for what the jobs' trials have come to. */
export function createJobAnswers(places: Places): JobAnswers {
  const address: RunAddress = (run, seq) => runAddress(places.of(resolve(run)), seq);
  const made = new Map<string, { readonly version: number; readonly answer: Promise<JobAnswer> }>();
  const once = async (
    question: string,
    stores: readonly JobStore[],
    make: (jobs: readonly FinishedJob[]) => Promise<Omit<JobAnswer, "version">>,
  ): Promise<JobAnswer> => {
    const records = await Promise.all(stores.map((store) => store.all()));
    const version = versionOf(stores);
    const key = JSON.stringify([question, ...stores.map(({ folder }) => folder)]);
    const known = made.get(key);
    if (known?.version === version) return known.answer;
    const jobs: FinishedJob[] = [];
    for (const [i, store] of stores.entries())
      jobs.push({ folder: relative(process.cwd(), store.folder) || ".", lock: await store.refresh(), records: records[i] ?? [] });
    const without = jobs.filter((job) => job.records.length === 0);
    const answer = (async () => ({ version, ...(without.length > 0 ? noTrial(without, jobs) : await make(jobs)) }))();
    made.set(key, { version, answer });
    return answer;
  };
  return {
    verdict: async (stores, running) => {
      if (running)
        return {
          version: versionOf(stores),
          ...saying(
            "Still running: the verdict is given when the job has ended, since looking again and again finds differences that are none.",
          ),
        };
      return once("verdict", stores, async (jobs) => {
        const comparison = compare(jobs);
        return {
          headline: headline(comparison),
          lines: verdictLines(comparison),
          warnings: comparison.shortcomings.map((line) => `${line}.`),
          remarks: remarks(comparison),
          sections: told([differences(comparison)]),
        };
      });
    },
    rest: (stores) =>
      once("rest", stores, async (jobs) => {
        const comparison = await withPartings(compare(jobs));
        const report = await jobReport(jobs, comparison);
        const sections = [
          jobs.length > 1 ? heatMap(report, address) : undefined,
          configurations(report),
          flips(comparison, address),
          cost(comparison),
          distributions(report),
          outcomes(report),
          interventions(report),
          changes(report),
          reproduce(report),
        ];
        return { ...saying(""), sections: told(sections) };
      }),
  };
}

/** Grows whenever one of theirs does. */
const versionOf = (stores: readonly JobStore[]): number => stores.reduce((sum, store) => sum + store.progress().version, 0);

const saying = (sentence: string): Omit<JobAnswer, "version"> => ({
  headline: sentence,
  lines: [],
  warnings: [],
  remarks: [],
  sections: [],
});

const noTrial = (without: readonly FinishedJob[], all: readonly FinishedJob[]): Omit<JobAnswer, "version"> =>
  saying(all.length === 1 ? "No trial has ended yet." : `No trial has ended yet in ${without.map(({ folder }) => folder).join(" and ")}.`);

const told = (sections: readonly (Section | undefined)[]): JobAnswer["sections"] =>
  sections.flatMap((section) => (section ? [{ id: section.id, title: section.title, html: section.body.html }] : []));
