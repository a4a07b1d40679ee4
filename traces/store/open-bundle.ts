import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { nameOpened } from "../read/run-name.ts";

const opened = new Map<string, string>();
const maxBytes = 4e9;

/** The folder that a bundle is unpacked to until this process ends. Throws `CannotError` for a file that is none by its name, and as `unpackBundle`. */
export async function openBundle(file: string): Promise<string> {
  if (!/\.(?:tgz|tar\.gz)$/.test(file))
    throw new CannotError(`${file} is a file. Give the folder of a run or of a job, or a bundle (.tgz) of forge traces bundle.`);
  const known = opened.get(resolve(file));
  if (known !== undefined) return known;
  const { unpackBundle } = await import("../bundle/unpack-bundle.ts");
  const folder = mkdtempSync(join(tmpdir(), "forge-opened-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // A signal that nobody else heeds would end the process without that.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) process.exit(130);
    });
  nameOpened(join(folder, "runs"), file);
  await unpackBundle(file, folder, { maxBytes });
  opened.set(resolve(file), join(folder, "runs"));
  return join(folder, "runs");
}
