import { bank } from "../concurrency-bug/bank.ts";
import { jobs } from "../concurrency-bug/jobs.ts";
import { once } from "../concurrency-bug/once.ts";
import { tally } from "../concurrency-bug/tally.ts";
import type { Family } from "../family.ts";
import { drawFlawedProgram } from "../flawed-program.ts";

/** Programs that are right as long as nothing happens at once: threads, processes that share a file, background jobs. */
export const concurrencyBug: Family = {
  name: "concurrency-bug",
  summary: "mend races, deadlocks, torn files and jobs that nobody waits for; the verifier makes happen what can",
  split: "test",
  tags: ["concurrency", "bugfix"],
  draw: drawFlawedProgram([bank, jobs, once, tally], {
    plain: "It works as long as nothing happens at once.",
    hidden: "Now and then something goes wrong, and nobody could find out when.",
    promised: "However the scheduler decides, this must hold too:",
  }),
};
