import type { JsonObject } from "../../json.ts";

/** A tool call's arguments from the text a model wrote. What is no JSON object is an error the model can act on, not an exception. */
export function parseCallArgs(name: string, json: string): { readonly args: JsonObject; readonly error?: string } {
  if (json.trim() === "") return { args: {} };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      args: {},
      error: `The arguments of ${name} are not valid JSON (${why}). Nothing was run. Send the call again with valid JSON.`,
    };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { args: {}, error: `The arguments of ${name} must be a JSON object. Nothing was run. Send the call again.` };
  }
  return { args: value as JsonObject }; // JSON.parse made it, and it is an object
}

/** Ids a conversation can rest on: servers that send none, or the same one twice, get `call-<turn>-<index>`. */
export function distinctIds(ids: readonly (string | undefined)[], turn: number): string[] {
  const taken = new Set<string>();
  return ids.map((id, index) => {
    const own = id !== undefined && id !== "" && !taken.has(id) ? id : `call-${turn}-${index}`;
    taken.add(own);
    return own;
  });
}
