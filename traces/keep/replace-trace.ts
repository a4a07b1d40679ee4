import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import { isPinned } from "../format/pin.ts";
import { ownFiles } from "./remove-trace.ts";
import { isTraceFile, sealName } from "../format/trace-files.ts";
import { claimWriting } from "../format/writer-claim.ts";

/**
 * Puts all files of the folder `part` in the place of a run's trace and payloads; what else lies in the run's folder stays. What was there lies in `aside`
 * meanwhile, a folder beside it that is made and removed, and comes back where something fails.
 * @throws CannotError for a run that is pinned or being written, and what the disk refuses
 */
export function replaceTrace(folder: string, { part, aside }: { readonly part: string; readonly aside: string }): void {
  if (isPinned(folder)) throw new CannotError(`The run in ${folder} is pinned and stays; forge traces pin --undo lets it go.`);
  const release = claimWriting(folder);
  const moved: { readonly from: string; readonly to: string }[] = [];
  const moveAll = (names: readonly string[], source: string, target: string): void => {
    for (const name of names) {
      const [from, to] = [join(source, name), join(target, name)];
      renameSync(from, to);
      moved.push({ from, to });
    }
  };
  try {
    mkdirSync(aside);
    moveAll(ownFiles(folder), folder, aside);
    // its trace makes it a run, and its seal says that the trace is there
    const order = (name: string): number => (name === sealName ? 2 : isTraceFile(name) ? 1 : 0);
    moveAll(
      readdirSync(part).toSorted((a, b) => order(a) - order(b)),
      part,
      folder,
    );
  } catch (error) {
    for (const { from, to } of moved.toReversed()) renameSync(to, from);
    rmSync(aside, { recursive: true, force: true });
    throw error;
  } finally {
    release();
  }
  for (const path of [part, aside]) rmSync(path, { recursive: true });
}
