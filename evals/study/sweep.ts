import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import type { OptionValue } from "../../harness/config/middleware/change-middleware.ts";
import { loadYaml } from "../../harness/package/load-yaml.ts";
import { ConfigError, messageOf } from "../../harness/errors.ts";
import type { Json } from "../../harness/json.ts";
import { mostArms, type ArmPlan } from "./study-arms.ts";

/**
 * The arms of `--sweep NAME.OPTION=v1,v2,…`, given once or several times: every combination of the values, held against the configuration as it is.
 * Values are written as in a configuration's file: numbers, words, true and false, `[a, b]`, `{min: 2, max: 3}`.
 * @throws ConfigError for a sweep that cannot be read, and for a grid of more than `mostArms` combinations
 */
export function sweep(name: string, texts: readonly string[]): ArmPlan[] {
  const axes = texts.map(readAxis);
  const twice = axes.find((axis, i) => axes.some((other, j) => j < i && other[0]?.target === axis[0]?.target));
  if (twice)
    throw new ConfigError(`--sweep ${twice[0]?.target ?? ""}: this option is swept twice; write all of its values into one --sweep.`);
  const size = axes.reduce((product, axis) => product * axis.length, 1);
  if (size > mostArms)
    throw new ConfigError(
      `--sweep: ${axes.map((axis) => axis.length).join(" × ")} = ${size} combinations, and one job measures ${mostArms} arms at most; leave values out, or sweep one option after the other.`,
    );
  const grid = axes.reduce<OptionValue[][]>((all, axis) => all.flatMap((some) => axis.map((value) => [...some, value])), [[]]);
  return grid.map((set) => ({
    change: { name: [name, ...set.map(({ target, value }) => `${target}=${shown(value)}`)].join(" · "), set },
    against: name,
  }));
}

function readAxis(text: string): OptionValue[] {
  const at = text.indexOf("=");
  const target = text.slice(0, at).trim();
  if (at < 1 || target === "")
    throw new ConfigError(`--sweep ${text}: expected NAME.OPTION=v1,v2,…, such as loop-detection.fileSoft=3,5,8`);
  const values = readValues(text.slice(at + 1), `--sweep ${text}`);
  const seen = new Set<string>();
  for (const value of values) {
    if (value === null || value === "" || (typeof value === "number" && !Number.isFinite(value)))
      throw new ConfigError(`--sweep ${text}: a value is missing or no number; write one between every two commas.`);
    if (seen.has(canonicalJson(value))) throw new ConfigError(`--sweep ${text}: the value ${shown(value)} is there twice; take one out.`);
    seen.add(canonicalJson(value));
  }
  return values.map((value) => ({ target, value, label: `--sweep ${target}=${shown(value)}` }));
}

/** A list in a line of YAML, where a comma before the end means another value. */
function readValues(text: string, label: string): Json[] {
  let values: unknown;
  try {
    values = /(^|,)\s*(,|$)/.test(text) ? [null] : loadYaml().parse(`[${text}]`, { maxAliasCount: 0 });
  } catch (error) {
    const [said = ""] = messageOf(error).split("\n");
    throw new ConfigError(`${label}: the values cannot be read (${said}); write them as in a configuration, with commas between them.`);
  }
  // YAML without tags gives plain JSON
  return Array.isArray(values) ? (values as Json[]) : [];
}

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value).replaceAll('"', ""));
