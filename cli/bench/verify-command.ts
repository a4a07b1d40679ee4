import type { Command } from "commander";
import { verifyOptions, type VerifyFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerVerify(bench: Command): void {
  const command = bench
    .command("verify")
    .description("check such an archive, trusting nothing in it")
    .argument("<archive>", "a file that forge bench export wrote")
    .action(async (archive: string, options: VerifyFlags) => {
      const { verifyBench } = await import("./verify-bench.ts");
      process.exitCode = await verifyBench(archive, options);
    });
  withOptions(command, verifyOptions);
  withHelp(command, {
    details:
      "The archive is unpacked into a private folder, within --max-size, and removed again. It checks every byte, the signature, every trace (chains, blobs, requests, seal), every record against its trace, every trial's key, the journal, the counts and the table. What cannot be checked is named with its reason.",
    examples: [
      ["forge bench verify 1a2b3c.tar.gz --key key.pub", "signed by this key"],
      ["forge bench verify 1a2b3c.tar.gz --rewards", "the tests again, on what the agents left"],
      ["forge bench verify 1a2b3c.tar.gz --rewards --suite my-tasks/"],
    ],
    exitCodes:
      "0 all that could be checked holds · 1 something does not · 2 usage · 3 no such file, a later format, too large, or no sandbox",
  });
}
