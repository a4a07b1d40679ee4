import { bank } from "../concurrency-bug/bank.ts";
import { jobs } from "../concurrency-bug/jobs.ts";
import { once } from "../concurrency-bug/once.ts";
import { drawRacyProgram } from "../concurrency-bug/racy-program.ts";
import { tally } from "../concurrency-bug/tally.ts";
import type { Family } from "../family.ts";

/** Programs that are right as long as nothing happens at once: threads, processes that share a file, background jobs. */
export const concurrencyBug: Family = {
  name: "concurrency-bug",
  summary: "mend races, deadlocks, torn files and jobs that nobody waits for; the verifier makes happen what can",
  split: "test",
  tags: ["concurrency", "bugfix"],
  draw: drawRacyProgram([bank, jobs, once, tally]),
};
