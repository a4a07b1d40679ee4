import { relative, resolve } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import { placeOf } from "../read/check-data.ts";
import { isInside } from "../check/check-tree.ts";
import { readPart } from "../read/read-part.ts";
import { shownValue } from "../read/shown-value.ts";
import type { ServiceData } from "./compose-file.ts";
import { pairsOf } from "./pairs-of.ts";
import type { ServicePlace } from "./service-place.ts";

/** Variables of a service: those of its `env_file`, then its own. One without a value is the task's, never the runner's. Throws `ConfigError`. */
export async function environmentVariables(
  name: string,
  data: ServiceData,
  place: ServicePlace,
  warnings: string[],
): Promise<Record<string, string>> {
  const all = new Map<string, string>();
  for (const path of filesOf(data.env_file)) {
    const key = placeOf(place.placed, ["services", name, "env_file"]);
    const file = resolve(place.folder, path);
    if (!isInside(place.root, file))
      throw new ConfigError(`${key}: ${shownValue(path)} is outside the task's folder. Put the file into it.`);
    const text = await readPart(place.root, relative(place.root, file));
    if (text === undefined) throw new ConfigError(`${key}: ${file} does not exist. Write it, or remove the key.`);
    for (const line of text.split(/\r?\n/)) {
      const pair = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*$/.exec(line);
      if (pair?.[1] !== undefined) all.set(pair[1], (pair[2] ?? "").replace(/^(["'])(.*)\1$/s, "$2"));
    }
  }
  for (const [variable, value] of pairsOf(data.environment)) {
    const own = value ?? (Object.hasOwn(place.variables, variable) ? place.variables[variable] : undefined);
    if (variable === "" || /[=\0]/.test(variable))
      throw new ConfigError(
        `${placeOf(place.placed, ["services", name, "environment"])}: ${shownValue(variable)} is no variable's name. Write KEY=value.`,
      );
    if (own !== undefined) all.set(variable, own);
    else
      warnings.push(
        `${placeOf(place.placed, ["services", name, "environment"])}: ${shownValue(variable)} has no value in the task; it is left out.`,
      );
  }
  return Object.fromEntries(all);
}

function filesOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((one) => {
    const path: unknown = typeof one === "object" && one !== null && "path" in one ? one.path : one;
    return typeof path === "string" ? [path] : [];
  });
}
