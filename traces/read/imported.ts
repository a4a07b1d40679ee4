import { join } from "node:path";
import { CannotError } from "../../harness/errors.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { isObject } from "../../harness/json.ts";
import { openBlobStore } from "../format/blob-store.ts";
import { decodeData } from "../format/decode.ts";
import { readTrace } from "./read-trace.ts";

/** What a source could not tell, each with the words for people: an empty value in the trace is none of these, it is not known. */
export const notKnownWords = {
  effects: "files that calls changed",
  checks: "checks that ran",
  tools: "the tool list",
  tokens: "tokens of each reply",
  cost: "cost of each reply",
  time: "time of calls",
  exitCode: "exit codes of some calls",
  totalTokens: "tokens in all",
  totalCost: "cost in all",
  begun: "when it began",
  model: "the model",
  verdict: "whether it passed",
  reward: "the reward",
  report: "the verifier's report",
  end: "how it ended",
} as const;
export type NotKnown = keyof typeof notKnownWords;

/** Of `meta` of a run's first event: what its source, or the gateway that saw it, could not tell. None for a run of Forge's own loop, and for formats whose readers do not say. */
export function notKnownIn(meta: unknown): ReadonlySet<NotKnown> {
  const source = isObject(meta) ? (meta["imported"] ?? meta["gateway"]) : undefined;
  const words = isObject(source) ? source["notKnown"] : undefined;
  return new Set(Array.isArray(words) ? words.filter((word): word is NotKnown => Object.hasOwn(notKnownWords, String(word))) : []);
}

/** The number that the source of an imported run gives the step that an event was made of; undefined where it gives none. */
export function sourceStep({ d }: Pick<RunEvent, "d">): number | undefined {
  const source = d["source"];
  const step = isObject(source) ? source["step"] : undefined;
  return Number.isSafeInteger(step) ? Number(step) : undefined;
}

/** Whether the call behind a `tool.result` ended well cannot be told: its source gives no exit code, and its status `ok` says nothing. */
export function lacksExitCode({ d }: Pick<RunEvent, "d">): boolean {
  const source = d["source"];
  return isObject(source) && source["exitCode"] === null;
}

/** The format that a run was imported from, by its first event; undefined for one that Forge recorded. */
function importedFrom(start: RunEvent | undefined): string | undefined {
  const meta = start?.t === "run.start" ? start.d["meta"] : undefined;
  const imported = isObject(meta) ? meta["imported"] : undefined;
  return isObject(imported) && typeof imported["format"] === "string" ? imported["format"] : undefined;
}

/** @throws CannotError for a run of another agent: what its harness was told and asked is not known, only what it wrote down. */
export function refuseImported(start: RunEvent | undefined): void {
  const format = importedFrom(start);
  if (format !== undefined)
    throw new CannotError(
      `The run was imported (${format.slice(0, 40)}), so it cannot be replayed: what its harness requested and got was not recorded. forge traces show, stats, diff and export take it.`,
    );
}

/** What the first event of an imported run tells of where it came from. */
export interface ImportedStart {
  /** Of what it was made of. */
  readonly sha256: string;
  /** The same for what is imported of a run later, when it has grown; empty where its source gives it no name of its own. */
  readonly identity: string;
  /** What was asked, as JSON. */
  readonly task: string;
}

/** What a source of each format calls its run; only the first must be there. Other fields of these names may be anybody's. */
const identifying: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["atif", ["session"]],
  ["claude-code", ["session"]],
  ["codex", ["session"]],
  ["harbor", ["trial", "startedAt"]],
  ["langsmith", ["trace"]],
  ["steps", ["session"]],
  ["terminal-bench", ["trial"]],
]);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Undefined where a folder holds no imported run, or one that cannot be read. */
export async function importedStart(folder: string): Promise<ImportedStart | undefined> {
  try {
    const blobs = openBlobStore(join(folder, "blobs"));
    for await (const { event } of readTrace(folder)) {
      const { meta, input } = decodeData(event.d, (hash) => blobs.get(hash)); // what a source says of itself may be long
      const imported = isObject(meta) ? meta["imported"] : undefined;
      if (!isObject(imported) || typeof imported["sha256"] !== "string") return undefined;
      const { sha256, format } = imported;
      const [own = "", ...more] = (identifying.get(format) ?? []).map((field) => textOf(imported[field]));
      return {
        sha256,
        identity: own === "" ? "" : JSON.stringify([format, own, ...more]),
        task: JSON.stringify((isObject(input) ? input["task"] : undefined) ?? ""),
      };
    }
  } catch {
    // whatever stands there is another run
  }
  return undefined;
}
