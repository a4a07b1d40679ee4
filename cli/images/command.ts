import type { Command } from "commander";

export function registerImages(program: Command): void {
  const images = program.command("images").description("base images of tasks");
  images
    .command("bootstrap")
    .description("make the base image forge-base/debian:bookworm that our own tasks start from (needs Docker; once, about two minutes)")
    .addHelpText(
      "after",
      "\nWhere no image registry can be reached it is made with debootstrap, which needs root and Debian's package servers.",
    )
    .action(async () => {
      const { bootstrapBaseImage } = await import("../../harness/sandbox/docker/image/base-image.ts");
      const { printable } = await import("../../harness/text/printable.ts");
      const { interruptible } = await import("../shared/interruptible.ts");
      const onProgress = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
      await interruptible(({ stop }) => bootstrapBaseImage({ onProgress, signal: stop }), "the image was not made");
      process.stdout.write("forge-base/debian:bookworm is there\n");
    });
}
