import type { Command } from "commander";
import { exportOptions, type ExportFlags } from "./options.ts";
import { jobPlace } from "../shared/job-places.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerExport(bench: Command): void {
  const command = bench
    .command("export")
    .description("write a finished job as one archive to verify")
    .argument("<job>", jobPlace)
    .action(async (job: string, options: ExportFlags) => {
      const { exportBench } = await import("./export-bench.ts");
      process.exitCode = await exportBench(job, options);
    });
  withOptions(command, exportOptions);
  withHelp(command, {
    details:
      "The archive holds the request, the journal, every result and trace, what the agents changed, and a manifest with the SHA-256 of each file. The job is checked first. Secrets were masked when these files were recorded; look through them yourself before you publish what an agent saw. The same job gives the same bytes.",
    examples: [
      ["forge bench export jobs/1a2b3c", "writes 1a2b3c.tar.gz here"],
      ["forge bench export 1a2b3c --out results/march.tar.gz --sign key.pem"],
      ["openssl genpkey -algorithm ed25519 -out key.pem", "makes a key to sign with"],
    ],
    exitCodes: "0 written · 2 the file exists, or no such key · 3 the job is unfinished or in use · 4 the job was changed",
  });
}
