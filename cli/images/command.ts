import type { Command } from "commander";
import { pruneOptions, type PruneFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerImages(program: Command): void {
  const images = program.command("images").summary("make and prune tasks' images").description("Images of tasks.");
  withHelp(images, { examples: [["forge images bootstrap"], ["forge images prune --keep 20GB"]] });
  const bootstrap = images
    .command("bootstrap")
    .description("make the base image forge-base/debian:bookworm that our own tasks start from (needs Docker; once, about two minutes)")
    .action(async () => {
      const { bootstrapBaseImage } = await import("../../harness/sandbox/docker/image/base-image.ts");
      const { printable } = await import("../../harness/text/printable.ts");
      const { interruptible } = await import("../shared/interruptible.ts");
      const onProgress = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
      await interruptible(({ stop }) => bootstrapBaseImage({ onProgress, signal: stop }), "the image was not made");
      process.stdout.write("forge-base/debian:bookworm is there\n");
    });
  withHelp(bootstrap, {
    details: "Where no image registry can be reached it is made with debootstrap, which needs root and Debian's package servers.",
    examples: [["forge images bootstrap"]],
  });
  const prune = images
    .command("prune")
    .description("remove images that Forge built for tasks, the longest unused first")
    .action(async (options: PruneFlags) => {
      const { pruneImages } = await import("./prune-images.ts");
      await pruneImages(options);
    });
  withOptions(prune, pruneOptions);
  withHelp(prune, {
    details:
      "Counted is what images take beside what they share with others. Images in use, images used in the last ten minutes and names that Forge did not give stay.",
    examples: [["forge images prune --keep 20GB"], ["forge images prune --keep 0GB --docker-host ssh://me@big"]],
  });
}
