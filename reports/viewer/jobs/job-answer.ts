import { relative, resolve } from "node:path";
import { compare } from "../../../evals/compare/compare.ts";
import type { FinishedJob } from "../../../evals/compare/load-job.ts";
import { withPartings } from "../../../evals/compare/with-partings.ts";
import { jobReport } from "../../../evals/report/job-report.ts";
import { remarks } from "../../comparison-lines.ts";
import { configurations } from "../../html/sections/configurations.ts";
import { cost } from "../../html/sections/cost.ts";
import { differences } from "../../html/sections/differences.ts";
import { distributions } from "../../html/sections/distributions.ts";
import { flips } from "../../html/sections/flips.ts";
import { interventions } from "../../html/sections/interventions.ts";
import { changes, reproduce } from "../../html/sections/origin.ts";
import { outcomes } from "../../html/sections/outcomes.ts";
import type { RunAddress } from "../../html/sections/run-link.ts";
import type { Section } from "../../html/sections/section.ts";
import { headline, verdictLines } from "../../report-lines.ts";
import type { JobAnswer } from "../api.ts";
import { runAddress, type Places } from "../places.ts";
import type { JobStore } from "./job-store.ts";

/** The answer of a job and what it rests on. The verdict needs the trials' records alone; `rest` reads traces too, which takes longer. */
export interface JobAnswers {
  verdict(store: JobStore, running: boolean): Promise<JobAnswer>;
  rest(store: JobStore): Promise<JobAnswer>;
}

/** Each is made once for what the job's trials have come to. */
export function createJobAnswers(places: Places): JobAnswers {
  const address: RunAddress = (run, seq) => runAddress(places.of(resolve(run)), seq);
  const made = new Map<string, { readonly version: number; readonly answer: Promise<JobAnswer> }>();
  const once = async (
    key: string,
    store: JobStore,
    make: (job: FinishedJob) => Promise<Omit<JobAnswer, "version">>,
  ): Promise<JobAnswer> => {
    const records = await store.all();
    const { version } = store.progress();
    const known = made.get(`${key} ${store.folder}`);
    if (known?.version === version) return known.answer;
    const lock = await store.refresh();
    const empty = { headline: "No trial has ended yet.", lines: [], warnings: [], remarks: [], sections: [] };
    const answer = (async () => ({
      version,
      ...(records.length === 0 ? empty : await make({ folder: relative(process.cwd(), store.folder) || ".", lock, records })),
    }))();
    made.set(`${key} ${store.folder}`, { version, answer });
    return answer;
  };
  return {
    verdict: async (store, running) => {
      if (running)
        return {
          version: store.progress().version,
          headline:
            "Still running: the verdict is given when the job has ended, since looking again and again finds differences that are none.",
          lines: [],
          warnings: [],
          remarks: [],
          sections: [],
        };
      return once("verdict", store, async (job) => {
        const comparison = compare([job]);
        return {
          headline: headline(comparison),
          lines: verdictLines(comparison),
          warnings: comparison.shortcomings.map((line) => `${line}.`),
          remarks: remarks(comparison),
          sections: told([differences(comparison)]),
        };
      });
    },
    rest: (store) =>
      once("rest", store, async (job) => {
        const comparison = await withPartings(compare([job]));
        const report = await jobReport([job], comparison);
        const sections = [
          configurations(report),
          flips(comparison, address),
          cost(comparison),
          distributions(report),
          outcomes(report),
          interventions(report),
          changes(report),
          reproduce(report),
        ];
        return { headline: "", lines: [], warnings: [], remarks: [], sections: told(sections) };
      }),
  };
}

const told = (sections: readonly (Section | undefined)[]): JobAnswer["sections"] =>
  sections.flatMap((section) => (section ? [{ id: section.id, title: section.title, html: section.body.html }] : []));
