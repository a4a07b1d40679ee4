import { CannotError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { isObject } from "../../harness/json.ts";
import { readTrace } from "./read-trace.ts";

/** The format that a run was imported from, by its first event; undefined for one that Forge recorded. */
function importedFrom(start: RunEvent | undefined): string | undefined {
  const meta = start?.t === "run.start" ? start.d["meta"] : undefined;
  const imported = isObject(meta) ? meta["imported"] : undefined;
  return isObject(imported) && typeof imported["format"] === "string" ? imported["format"] : undefined;
}

/** @throws CannotError for a run of another agent: what its harness was told and asked is not known, only what it wrote down. */
export function refuseImported(folder: string, start: RunEvent | undefined): void {
  const format = importedFrom(start);
  if (format !== undefined)
    throw new CannotError(
      `The run in ${folder} was imported (${format.slice(0, 40)}), so it cannot be replayed: what its harness asked and was answered was not recorded. forge traces show, stats, diff and export take it.`,
    );
}

/** The SHA-256 of the file that the run in a folder was made of; undefined where it is no imported run, or cannot be read. */
export async function importedDigest(folder: string): Promise<string | undefined> {
  try {
    for await (const { event } of readTrace(folder)) {
      const meta = event.d["meta"];
      const imported = isObject(meta) ? meta["imported"] : undefined;
      return isObject(imported) && typeof imported["sha256"] === "string" ? imported["sha256"] : undefined;
    }
  } catch {
    // whatever stands there is another run
  }
  return undefined;
}
