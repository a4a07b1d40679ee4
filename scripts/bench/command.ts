import { join } from "node:path";
import { execa } from "execa";

/** Runs the built `forge` below `root`. @throws what it said where it does not end well. */
export async function command(root: string, args: readonly string[]): Promise<void> {
  await execa(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], { stdin: "ignore", maxBuffer: 1024 * 1024 });
}
