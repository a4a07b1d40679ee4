import type { Command } from "commander";
import type { ExportFlags } from "./options.ts";

const help = `
The archive is a tar.gz with all that a finished job is made of: what was asked and what it resolved to, the journal, every result, every trace, what
the agents changed, and a manifest with the SHA-256 of each file and the job's numbers. The job is checked first. Secrets were taken out of these
files when they were recorded; look through them yourself before you publish what an agent saw. The same job gives the same bytes.

Examples:
  forge bench export jobs/1a2b3c                                  writes 1a2b3c.tar.gz here
  forge bench export 1a2b3c --out results/march.tar.gz --sign key.pem
  openssl genpkey -algorithm ed25519 -out key.pem                 makes a key to sign with
  openssl pkey -in key.pem -pubout -out key.pub                   its public part, for those who verify

Exit codes: 0 written · 2 the file is there already, or no such key · 3 the job is not finished, or somebody works on it · 4 the job was changed`;

export function registerExport(bench: Command): void {
  bench
    .command("export")
    .description("write a finished job as one archive that anybody can verify")
    .argument("<job>", "the job's folder, or the beginning of its name in ./jobs")
    .option("--out <file>", "the archive (default: the job's name and .tar.gz, in this folder)")
    .option("--sign <key>", "a private ed25519 key in PEM form")
    .option("--json", "one JSON object")
    .addHelpText("after", help)
    .action(async (job: string, options: ExportFlags) => {
      const { exportBench } = await import("./export-bench.ts");
      process.exitCode = await exportBench(job, options);
    });
}
