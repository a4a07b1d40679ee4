import { isDeepStrictEqual } from "node:util";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";

/** One thing that two runs began with and that is not the same; a side that has none of it is left out. */
export interface StartDifference {
  /** As in the configuration: `limits.turns`, `middleware.loop-detection.options.fileSoft`, `system.identity.text`; beside it `input.task`. */
  readonly key: string;
  readonly a?: Json;
  readonly b?: Json;
}

/** In which keys two runs were started otherwise: configuration, task and model. Which trial it was and its seed never are the same twice and do not count, nor where a value was set. */
export function startDifferences(a: RunEvent | undefined, b: RunEvent | undefined): StartDifference[] {
  const [left, right] = [begun(a), begun(b)];
  const config = differencesOf(left.config, right.config);
  const telling = config.filter(({ key }) => key !== "hash"); // which covers the others
  const asked = config.some(({ key }) => key.startsWith("model.")) ? [] : differencesOf({ model: left.model }, { model: right.model });
  return [...(telling.length > 0 ? telling : config), ...asked, ...differencesOf(left.others, right.others)];
}

function begun(event: RunEvent | undefined): { config: JsonObject; model: Json; others: JsonObject } {
  const { config = {}, model = {}, meta: _meta, seed: _seed, ...others } = event?.d ?? {};
  const { places: _places, ...chosen } = isObject(config) ? config : {};
  return { config: chosen, model, others };
}

function differencesOf(a: Json | undefined, b: Json | undefined, key = ""): StartDifference[] {
  if (isDeepStrictEqual(a, b)) return [];
  const [left, right] = [membersOf(a), membersOf(b)];
  if (!left || !right) return [{ key, ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) }];
  const names = new Set([...left.keys(), ...right.keys()]);
  const below = [...names].flatMap((name) => differencesOf(left.get(name), right.get(name), key === "" ? name : `${key}.${name}`));
  if (below.length > 0) return below;
  return [{ key: `the order of ${key}`, a: [...left.keys()], b: [...right.keys()] }];
}

/** Of a list whose members have a name, these by their names; of a middleware without what follows from its options. */
function membersOf(value: Json | undefined): ReadonlyMap<string, Json | undefined> | undefined {
  if (isObject(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const members = new Map<string, Json | undefined>();
  for (const item of value) {
    if (!isObject(item) || typeof item["name"] !== "string" || members.has(item["name"])) return undefined;
    const { name: _name, changed: _changed, ...rest } = item;
    members.set(item["name"], rest);
  }
  return members;
}
