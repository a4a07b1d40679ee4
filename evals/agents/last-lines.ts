import { isObject, type JsonObject } from "../../harness/json.ts";

const mostLines = 200;

/** The last lines of an output that are JSON objects, the last one first. */
export function lastLines(stdout: string): JsonObject[] {
  return stdout
    .split("\n")
    .slice(-mostLines)
    .toReversed()
    .flatMap((line): JsonObject[] => {
      try {
        const value: unknown = JSON.parse(line);
        return isObject(value) ? [value as JsonObject] : []; // parsed from JSON
      } catch {
        return [];
      }
    });
}
