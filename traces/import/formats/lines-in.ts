import { isObject, type JsonObject } from "../../../harness/json.ts";
import { member } from "./lenient-fields.ts";

/** The records of JSONL text, at most so many. Each has a `type`, of its own or given here. A line of which nothing can be read is kept as text. */
export function linesIn(text: string, most = Number.POSITIVE_INFINITY): JsonObject[] {
  const records: JsonObject[] = [];
  for (let at = 0; at < text.length && records.length < most;) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? undefined : end).trim();
    at = end < 0 ? text.length : end + 1;
    if (line === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = undefined;
    }
    const record = value as JsonObject | undefined; // what JSON.parse gives; looked at by isObject
    if (!isObject(record)) records.push({ type: "no JSON", text: line });
    else records.push(member(record, "type") === undefined ? { ...record, type: "no type" } : record);
  }
  return records;
}
