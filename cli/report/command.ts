import type { Command } from "commander";
import { reportOptions, type ReportFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerReport(program: Command): void {
  const report = program
    .command("report")
    .summary("a job as a page")
    .description("A job as a page: verdict, differences, tasks, cost, distributions, failures, interventions, and how to see it again.")
    .argument("<job...>", "jobs: names, beginnings of ids, or folders; or results of other runners")
    .action(async (jobs: string[], options: ReportFlags) => {
      const { reportJobs } = await import("./report-jobs.ts");
      await reportJobs(jobs, options);
    });
  withOptions(report, reportOptions);
  withHelp(report, {
    details:
      "Without --html, --markdown or --json: a summary for the terminal. The page is one file without scripts: it opens from a mail attachment, prints, and fetches nothing. Its links to runs work where it was written. The verdict is that of forge compare, and counts in the same ledger.",
    examples: [
      ["forge report jobs/1a2b3c", "a summary for the terminal"],
      ["forge report 1a2b 9f8e --baseline bare --html r.html", "two jobs, all compared with one"],
      ["forge report 1a2b --json | jq .interventions"],
    ],
  });
}
