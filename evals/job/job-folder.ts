import { join } from "node:path";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { TrialPlace } from "../trial/trial-place.ts";

/** Longest name a folder gets; file systems stop at 255 bytes. */
const longest = 120;

/** A name as a folder: letters, digits, `.`, `_` and `-` stay, the rest is %-encoded; a long name keeps its start and gets its hash. */
export function encodeName(name: string): string {
  if (name.length <= longest && /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) return name; // most are, and a large job asks for thousands
  const encoded = [...new TextEncoder().encode(name)]
    .map((byte, i) => {
      const letter = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(letter) || (letter === "." && i > 0) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
  return encoded.length <= longest ? encoded : `${encoded.slice(0, longest - 17)}~${sha256(name).slice(0, 16)}`;
}

/** Where everything of a job lies. */
export interface JobFolder {
  readonly path: string;
  /** What was asked. */
  readonly config: string;
  /** What it was resolved to. */
  readonly lock: string;
  /** What happened. */
  readonly journal: string;
  /** The outcome. */
  readonly result: string;
  /** Attempts that were broken off, by a crash for one, out of everyone's way. */
  readonly unfinished: string;
  /** Relative to `path`; holds `result.json` and the attempts. */
  trial(place: TrialPlace): string;
  /** Relative to `path`; the run's folder, with the attempt's `record.json`, `delta.json` and `verifier/` beside its trace. */
  attempt(place: TrialPlace, attempt: number): string;
}

export function jobFolder(path: string): JobFolder {
  const trial = ({ task, configuration, repeat }: TrialPlace): string =>
    `trials/${encodeName(task)}/${encodeName(configuration)}/${repeat}`;
  return {
    path,
    config: join(path, "config.json"),
    lock: join(path, "lock.json"),
    journal: join(path, "journal.jsonl"),
    result: join(path, "result.json"),
    unfinished: join(path, "unfinished"),
    trial,
    attempt: (place, attempt) => `${trial(place)}/attempt-${attempt}`,
  };
}
