import { join, resolve } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { makeTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import { nameOpened } from "../read/run-name.ts";

/** Unpacks a file into a folder that it makes where it is of a kind that has runs and is no bundle; answers whether it was. */
export type OpenFile = (file: string, folder: string, o: { readonly maxBytes: number }) => Promise<boolean>;

let openOther: OpenFile = () => Promise.resolve(false);
const opened = new Map<string, string>();
const maxBytes = 4e9;

/** From now on files of another kind are opened too, such as archives of jobs, whose format this room does not know. */
export function openAlso(open: OpenFile): void {
  openOther = open;
}

/**
 * The folder that the runs of a bundle, or of a file of another kind, are unpacked to until this process ends.
 * @throws CannotError for a file that is none by its name, and as `unpackBundle` and the other kind do
 */
export async function openBundle(file: string): Promise<string> {
  if (!/\.(?:tgz|tar\.gz)$/.test(file))
    throw new CannotError(
      `${file} is a file. Give the folder of a run or of a job, a bundle (.tgz) of forge traces bundle, or an archive of forge bench export.`,
    );
  const known = opened.get(resolve(file));
  if (known !== undefined) return known;
  const { unpackBundle } = await import("../bundle/unpack-bundle.ts");
  const folder = makeTemporaryFolder("forge-opened");
  // A signal that nobody else heeds would end the process without that.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) process.exit(130);
    });
  const runs = join(folder, "runs");
  nameOpened(runs, file);
  if (!(await openOther(file, runs, { maxBytes }))) await unpackBundle(file, folder, { maxBytes });
  opened.set(resolve(file), runs);
  return runs;
}
