import { relative, resolve } from "node:path";
import { z } from "zod";
import { stringify } from "yaml";
import { configSchema, type ConfigFile } from "../../harness/config/schema.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { isObject, type JsonObject } from "../../harness/json.ts";
import { numberOf, objectOf, wordOf } from "../runs/steps-of.ts";

/** A recorded configuration as a file that has the same harness hash; what a patch extends. */
export const baseConfigSchema = z.object({
  name: z.string(),
  /** As it was recorded. */
  hash: z.string(),
  /** `provider/name`, which a bench is given with `--model`. */
  model: z.string(),
  /** Of its server, for `--base-url`; left out: the provider's own, or one that is not shown. */
  baseUrl: z.string().optional(),
  file: configSchema,
});
export type BaseConfig = z.infer<typeof baseConfigSchema>;

/** Presets that a file may extend, by name, resolved to what they set. */
export type Presets = Readonly<Record<string, ConfigFile>>;

/** Makes the file from what `run.start` recorded: from the preset that leaves the least to write. */
export function baseConfigOf(config: JsonObject, presets: Presets): BaseConfig {
  const candidates = Object.entries(presets).map(([name, preset]) => fileFrom(name, preset, config));
  const [file = { extends: "bare" }] = candidates.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
  const model = objectOf(config["model"]);
  const baseUrl = wordOf(model["baseUrl"]);
  return {
    name: wordOf(config["name"]) ?? "base",
    hash: wordOf(config["hash"]) ?? "",
    model: wordOf(model["name"]) ?? "",
    ...(baseUrl === undefined || baseUrl.includes("█") ? {} : { baseUrl }), // a secret in it is masked
    file,
  };
}

function fileFrom(preset: string, { tools, middleware, limits, loop }: ConfigFile, config: JsonObject): ConfigFile {
  const model = objectOf(config["model"]);
  const settings = {
    ...(model["protocol"] === "native" || model["protocol"] === undefined ? {} : { protocol: model["protocol"] as "text" | "grammar" }),
    ...(numberOf(model["temperature"]) === undefined ? {} : { temperature: numberOf(model["temperature"]) }),
    ...(numberOf(model["topP"]) === undefined ? {} : { topP: numberOf(model["topP"]) }),
    ...(numberOf(model["maxOutputTokens"]) === undefined ? {} : { maxOutputTokens: numberOf(model["maxOutputTokens"]) }),
  };
  const named = listOf(config["tools"]).map((tool) => wordOf(tool["name"]) ?? "");
  const own = listOf(config["middleware"]).map(entryOf);
  const inherited = (middleware ?? []).map((entry) => (typeof entry === "string" ? { name: entry } : entry));
  const off = inherited
    .map(({ name }) => plainName(name))
    .filter((name) => !own.some((entry) => plainName(entry.name) === name))
    .map((name) => ({ name, off: true }));
  const recordedLoop = numberOf(config["loop"]) ?? 1; // recorded where it is another one
  const changed = own.filter((entry) => !inherited.some((other) => JSON.stringify(other) === JSON.stringify(entry)));
  const entries = [...changed.map((entry) => (Object.keys(entry).length === 1 ? entry.name : entry)), ...off];
  const bounds = Object.fromEntries(
    Object.entries(objectOf(config["limits"])).filter(([key, value]) => (limits as JsonObject | undefined)?.[key] !== value),
  );
  const prompt = ownPrompt(config);
  return configSchema.parse({
    extends: preset,
    ...(Object.keys(settings).length > 0 ? { model: settings } : {}),
    ...(JSON.stringify(named) === JSON.stringify(tools) ? {} : { tools: named }),
    ...(entries.length > 0 ? { middleware: entries } : {}),
    ...(Object.keys(bounds).length > 0 ? { limits: bounds } : {}),
    ...(loop === recordedLoop ? {} : { loop: recordedLoop }),
    ...(Object.keys(prompt).length > 0 ? { prompt } : {}),
  });
}

const listOf = (value: JsonObject[string] | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];

const plainName = (name: string): string => name.replace(/@\d+$/, "");

/** A user's file by its path, ours by its name and recorded version, each with the options that are not their defaults. */
function entryOf(middleware: JsonObject): { name: string } & JsonObject {
  const source = objectOf(middleware["source"]);
  const versioned = `${wordOf(middleware["name"]) ?? ""}@${wordOf(middleware["version"]) ?? "1"}`;
  return { name: wordOf(source["path"]) ?? versioned, ...objectOf(middleware["changed"]) };
}

function ownPrompt(config: JsonObject): Record<string, string> {
  const names = Array.isArray(config["ownPrompt"]) ? config["ownPrompt"].filter((name) => typeof name === "string") : [];
  const sections = listOf(config["system"]);
  return Object.fromEntries(names.map((name) => [name, wordOf(sections.find((one) => one["name"] === name)?.["text"]) ?? ""]));
}

/** A configuration as a file's text, a comment above it: one line, whatever a run's words in it hold. */
export const configText = (comment: string, file: ConfigFile): string =>
  `# ${oneLine(comment)}\n${stringify(file, { lineWidth: 140, flowCollectionPadding: true })}`;

/** A file as a configuration in a folder names it in `extends`. */
export function pathFrom(folder: string, file: string): string {
  const path = relative(resolve(folder), resolve(file)).replaceAll("\\", "/");
  return path.startsWith("../") ? path : `./${path}`;
}
