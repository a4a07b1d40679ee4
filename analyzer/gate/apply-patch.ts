import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseDocument, YAMLMap, YAMLSeq } from "yaml";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { isObject, type JsonObject } from "../../harness/json.ts";
import { isAccepted, type StoredIssue } from "../issues/stored-issue.ts";
import { pathFrom } from "../proposals/base-config.ts";

/** A configuration's file as it is and as it would be with an accepted patch. */
export interface AppliedText {
  readonly before: string;
  readonly after: string;
}

/**
 * Lays an accepted patch into a configuration's file; its comments and its other keys stay. A file that is not there yet extends the patch's own.
 * @throws CannotError for an issue that is not accepted
 */
export async function applyPatch(issue: StoredIssue, path: string): Promise<AppliedText> {
  const file = issue.history.findLast(({ what }) => what === "accepted")?.files?.at(-1);
  if (!isAccepted(issue) || file === undefined || issue.change === null)
    throw new CannotError(
      `${issue.id} is not accepted, and nothing else changes a configuration: forge issues accept ${issue.id} comes first.`,
    );
  if (!existsSync(path)) {
    return { before: "", after: `extends: ${pathFrom(dirname(path), file)}\n` };
  }
  const before = await readFile(path, "utf8");
  const document = parseDocument(before);
  if (document.errors.length > 0 || !(document.contents === null || document.contents instanceof YAMLMap))
    throw new ConfigError(`${path} is not a configuration in YAML; correct it, or name another file with --to.`);
  const from = document.get("extends");
  if (typeof from === "string" && resolve(dirname(path), from) === resolve(file)) return { before, after: before };
  const merge = (at: readonly string[], change: JsonObject): void => {
    for (const [key, value] of Object.entries(change))
      if (isObject(value)) merge([...at, key], value);
      else if (key === "middleware" && at.length === 0 && Array.isArray(value)) {
        const own = document.get("middleware");
        const kept = own instanceof YAMLSeq ? (own.toJSON() as JsonObject[string][]) : [];
        document.set("middleware", [...kept.filter((entry) => !value.some((other) => nameOf(other) === nameOf(entry))), ...value]);
      } else document.setIn([...at, key], value);
  };
  merge([], issue.change as JsonObject); // read from JSON
  return { before, after: document.toString() };
}

const nameOf = (entry: JsonObject[string]): string => (typeof entry === "string" ? entry : isObject(entry) ? String(entry["name"]) : "");
