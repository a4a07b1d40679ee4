import type { Command } from "commander";
import { byteSize, collect, collectVariables, wholeNumber } from "../shared/option-values.ts";
import type { VerifyFlags } from "./options.ts";

const help = `
Nothing in the archive is trusted. It is unpacked into a private folder, within --max-size, and removed again. Checked are: every byte of the archive,
the signature, every trace (chains, blobs, requests, seal), every record against its trace, every trial's key, the journal, the counts and the
table. What cannot be checked is named with its reason.

Examples:
  forge bench verify 1a2b3c.tar.gz
  forge bench verify 1a2b3c.tar.gz --key key.pub                   signed by this very key
  forge bench verify 1a2b3c.tar.gz --rewards                       the tests again, on what the agents left
  forge bench verify 1a2b3c.tar.gz --rewards --suite my-tasks/     for tasks that do not come with Forge
  forge bench verify 1a2b3c.tar.gz --json

Exit codes: 0 all that could be checked holds · 1 something does not · 2 usage · 3 no such file, a later format, too large, or no sandbox`;

export function registerVerify(bench: Command): void {
  bench
    .command("verify")
    .description("check the archive of a job, without trusting anything in it")
    .argument("<archive>", "a file that forge bench export wrote")
    .option("--key <file>", "the public ed25519 key, in PEM form, that must have signed it")
    .option("--rewards", "verify the trials again from what their agents left, in fresh sandboxes")
    .option("--task <dir>", "for --rewards: a task's folder; repeat it for several", collect)
    .option("--suite <dir>", "for --rewards: where the tasks lie (default: the suites that come with Forge)")
    .option("--sandbox <kind>", "for --rewards: docker, bubblewrap, or local-unsafe (default: the job's)")
    .option("--task-env <name>", "a variable of your environment that tasks may read; repeat it (default: none)", collectVariables)
    .option("--jobs <n>", "for --rewards: verifications at a time (default: 2)", wholeNumber)
    .option("--max-size <size>", "what may be unpacked (default: 4GB)", byteSize)
    .option("--json", "one JSON object")
    .addHelpText("after", help)
    .action(async (archive: string, options: VerifyFlags) => {
      const { verifyBench } = await import("./verify-bench.ts");
      process.exitCode = await verifyBench(archive, options);
    });
}
