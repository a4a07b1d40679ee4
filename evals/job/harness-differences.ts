import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import type { JsonObject } from "../../harness/json.ts";

/** Of a resolved configuration, what its harness hash covers (`harness/config/harness-hash.ts`). */
const hashedSchema = z.looseObject({
  model: z.looseObject({ protocol: z.string() }),
  system: z.array(z.looseObject({ name: z.string(), text: z.string() })),
  tools: z.array(z.looseObject({ name: z.string(), description: z.string(), parameters: z.json() })),
  toolFiles: z.array(z.looseObject({ name: z.string(), source: z.looseObject({ hash: z.string() }) })).optional(),
  mcp: z.array(z.looseObject({ name: z.string() })).optional(),
  loop: z.int().optional(),
  limits: z.record(z.string(), z.json()),
  middleware: z.array(
    z.looseObject({
      name: z.string(),
      version: z.string(),
      changed: z.record(z.string(), z.json()),
      source: z.looseObject({ hash: z.string() }).optional(),
    }),
  ),
});
type Hashed = z.infer<typeof hashedSchema>;
/** Its parts, each under the name that a user would look for. */
type Parts = ReadonlyMap<string, string>;

/**
 * In which parts two recorded configurations' harnesses differ, from what to what, as `limits.turns 50 → 40`; of a long text from where they part. Empty where the records do not tell,
 * as when a secret was taken out of both.
 */
export function harnessDifferences(former: JsonObject, now: JsonObject): string[] {
  const [was, is] = [hashedSchema.safeParse(former), hashedSchema.safeParse(now)];
  if (!was.success || !is.success) return [];
  const [old, fresh] = [partsOf(was.data), partsOf(is.data)];
  const differing = [...new Set([...old.keys(), ...fresh.keys()])].filter((part) => old.get(part) !== fresh.get(part));
  const found = differing.map((part) => describe(part, old.get(part), fresh.get(part)));
  return found.length > 0 ? found : reordered(was.data, is.data);
}

/** Of lists with the same members. */
function reordered(was: Hashed, is: Hashed): string[] {
  return (["middleware", "tools", "system"] as const).flatMap((list) => {
    const [old, fresh] = [was, is].map((config) => config[list].map(({ name }) => name).join(", "));
    return old === fresh ? [] : [`order of ${list === "system" ? "prompt sections" : list}: ${old} → ${fresh}`];
  });
}

function partsOf({ model, system, tools, toolFiles = [], mcp = [], loop = 1, limits, middleware }: Hashed): Parts {
  return new Map([
    ["protocol", model.protocol],
    ["loop", `version ${loop}`],
    ...system.map(({ name, text }) => [`prompt.${name}`, text] as const),
    ...tools.map(({ name, description, parameters }) => [`tool ${name}`, canonicalJson({ description, parameters })] as const),
    ...toolFiles.map(({ name, source }) => [`tool ${name}'s file`, `source ${source.hash.slice(0, 12)}`] as const),
    ...mcp.map(({ name, folder: _, ...how }) => [`mcp.${name}`, canonicalJson(how)] as const),
    ...Object.entries(limits).map(([name, value]) => [`limits.${name}`, canonicalJson(value)] as const),
    ...middleware.flatMap(({ name, version, changed, source }) => [
      [`middleware ${name}`, source ? `source ${source.hash.slice(0, 12)}` : `version ${version}`] as const,
      ...Object.entries(changed).map(([option, value]) => [`middleware ${name}.${option}`, canonicalJson(value)] as const),
    ]),
  ]);
}

/** Longer values, as prompts and schemas are, would bury the sentence. */
const longest = 60;
/** Characters of a long value that stand before the first that differs. */
const before = 20;

function describe(part: string, was: string | undefined, is: string | undefined): string {
  const option = /^middleware [^.]+\./.test(part) || part.startsWith("limits.");
  if (was === undefined) return option && is !== undefined ? `${part} not set → ${shown(is)}` : `${part} added`;
  if (is === undefined) return option ? `${part} ${shown(was)} → not set` : `${part} gone`;
  if (was.length <= longest && is.length <= longest) return `${part} ${was} → ${is}`;
  const from = Math.max(0, firstDifference(was, is) - before);
  return `${part} ${excerpt(was, from)} → ${excerpt(is, from)}`;
}
const shown = (value: string): string => (value.length > longest ? "a long value" : value);

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

/** A piece of a long value, in quotation marks, with dots where it goes on; the whole is in the job's lock.json. */
function excerpt(text: string, from: number): string {
  const piece = text
    .slice(from, from + longest)
    .toWellFormed()
    .replaceAll("\uFFFD", "")
    .replaceAll(/\s+/g, " ");
  return `"${from > 0 ? "…" : ""}${piece}${from + longest < text.length ? "…" : ""}"`;
}
