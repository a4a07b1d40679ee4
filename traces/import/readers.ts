import { CannotError, ConfigError } from "../../harness/errors.ts";
import { existsSync } from "node:fs";
import type { TraceReader } from "./imported-session.ts";
import { atifReader } from "./formats/read-atif.ts";
import { claudeCodeReader } from "./formats/read-claude-code.ts";
import { codexReader } from "./formats/read-codex.ts";
import { harborReader } from "./formats/read-harbor.ts";
import { langsmithPrefix, langsmithReader } from "./formats/read-langsmith.ts";
import { stepsReader } from "./formats/steps/read-steps.ts";
import { terminalBenchReader } from "./formats/read-terminal-bench.ts";

/** In the order in which they are asked: a trial of Harbor holds a trajectory too. */
const traceReaders: readonly TraceReader[] = [harborReader, terminalBenchReader, atifReader, claudeCodeReader, codexReader, stepsReader];

/**
 * The reader of a place, or of the format that was named. Throws `ConfigError` for a format that is none, `CannotError` for a place that nobody reads.
 * @param langsmith where LangSmith is asked; called for one of its places alone
 */
export async function readerOf(
  place: string,
  format: string | undefined,
  langsmith: () => Parameters<typeof langsmithReader>[0] = notAsked,
): Promise<TraceReader> {
  const names = [...traceReaders.map((reader) => reader.format), "langsmith"].join(", ");
  if (place.startsWith(langsmithPrefix) && (format === undefined || format === "langsmith")) return langsmithReader(langsmith());
  if (format === "langsmith")
    throw new ConfigError(`--format: a project of LangSmith is named as ${langsmithPrefix}PROJECT, got ${JSON.stringify(place)}.`);
  if (!existsSync(place)) throw new CannotError(`There is no ${place}. Name a file or a folder with runs of another agent.`);
  if (format !== undefined) {
    const named = traceReaders.find((reader) => reader.format === format);
    if (!named) throw new ConfigError(`--format: there is no reader for ${JSON.stringify(format)}; give one of ${names}.`);
    return named;
  }
  for (const reader of traceReaders) if (await reader.recognizes(place)) return reader;
  throw new CannotError(`${place} is not recognised as one of ${names}; choose one with --format.`);
}

const notAsked = (): never => {
  throw new ConfigError("LangSmith's API is not read here; name a file or a folder.");
};
