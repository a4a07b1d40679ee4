import type { TraceLine } from "../../harness/events/schema.ts";
import type { Json, JsonObject } from "../../harness/json.ts";

/** Characters of an event that can be found; what lies behind is in the trace alone. */
const longest = 256 * 1024;

/**
 * What a reader would look for in an event: what was asked, said, called and answered, each once. A call stands in the model's reply, the prompts and
 * tool schemas of a configuration nowhere.
 * @param d the event's data, payloads put back
 */
export function eventText({ t }: Pick<TraceLine, "t">, d: JsonObject): string {
  const texts: string[] = [];
  let left = longest;
  const waiting = partsOf(t, d).toReversed(); // a list of its own, so that no depth of a strange trace ends it
  while (waiting.length > 0 && left > 0) {
    const value = waiting.pop();
    if (typeof value === "string") {
      texts.push(value.slice(0, left));
      left -= value.length;
    } else if (typeof value === "object" && value !== null) for (const item of Object.values(value).reverse()) waiting.push(item);
  }
  return texts.join("\n");
}

function partsOf(t: string, d: JsonObject): readonly (Json | undefined)[] {
  switch (t) {
    case "run.start":
      return [d["input"]];
    case "model.request":
      return [d["add"]];
    case "model.response":
      return [d["message"], d["calls"]];
    case "tool.call":
      return [];
    case "tool.result":
      return [member(d["reply"], "content")];
    case "run.end":
      return [d["answer"], d["outcome"]];
    default:
      return Object.values(d);
  }
}

const member = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value[key] : undefined;
