import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { ConfigError } from "../../harness/errors.ts";
import { lineOfKey } from "./line-of-key.ts";

const seconds = z.number().positive();
const envTable = z.record(z.string(), z.string());
const size = z.string().regex(/^\s*\d+(\.\d+)?\s*[GMKgmk]\s*$/, 'a size such as "512M" or "2G"');

/**
 * `task.toml` of Harbor's format: the keys that decide what its own runner does with a task of one step in a Linux container, and
 * `[metadata.forge]`, which is ours. Keys that would change a task's meaning and are not carried out yet are known here by name, so that
 * the loader can refuse them instead of running something else.
 */
const schema = z.strictObject({
  version: z.string().optional(),
  schema_version: z.string().optional(),
  source: z.string().optional(),
  task: z.looseObject({ name: z.string().min(1).optional() }).default({}),
  metadata: z
    .looseObject({
      author_name: z.string().optional(),
      author_email: z.string().optional(),
      difficulty: z.string().optional(),
      category: z.string().optional(),
      family: z.string().optional(),
      split: z.string().optional(),
      tags: z.array(z.string()).default([]),
      forge: z
        .strictObject({
          family: z.string().optional(),
          split: z.enum(["train", "validation", "test"]).optional(),
          local: z.boolean().default(false),
          verify: z.enum(["workdir", "snapshot", "live"]).default("workdir"),
          paths: z.array(z.string().startsWith("/", "an absolute path in the container")).min(1).optional(),
          /** What drew the task, where it was generated: draw it again, and compare. */
          generated: z.strictObject({ family: z.string(), level: z.string(), seed: z.int(), version: z.int() }).optional(),
        })
        .optional(),
    })
    .default({ tags: [] }),
  verifier: z
    .strictObject({
      timeout_sec: seconds.default(600),
      env: envTable.default({}),
      environment_mode: z.string().optional(),
      environment: z.unknown().optional(),
      collect: z.array(z.unknown()).optional(),
      network_mode: z.string().optional(),
      user: z.union([z.string(), z.number()]).optional(),
    })
    .default({ timeout_sec: 600, env: {} }),
  agent: z
    .strictObject({
      timeout_sec: seconds.default(600),
      network_mode: z.string().optional(),
      user: z.union([z.string(), z.number()]).optional(),
    })
    .default({ timeout_sec: 600 }),
  environment: z
    .strictObject({
      build_timeout_sec: seconds.default(600),
      docker_image: z.string().min(1).optional(),
      cpus: z.number().positive().optional(),
      memory: size.optional(),
      memory_mb: z.int().positive().optional(),
      storage: size.optional(),
      storage_mb: z.int().positive().optional(),
      gpus: z.int().nonnegative().optional(),
      os: z.string().optional(),
      allow_internet: z.boolean().optional(),
      network_mode: z.enum(["public", "no-network", "allowlist"]).optional(),
      env: envTable.default({}),
      healthcheck: z.unknown().optional(),
      workdir: z.string().optional(),
      mcp_servers: z.array(z.unknown()).default([]),
    })
    .default({ build_timeout_sec: 600, env: {}, mcp_servers: [] }),
  solution: z.strictObject({ env: envTable.default({}) }).default({ env: {} }),
  steps: z.array(z.unknown()).optional(),
  artifacts: z.array(z.unknown()).optional(),
});
export type TaskToml = z.infer<typeof schema>;

/**
 * Reads the text of a `task.toml`. Unknown keys are left out and named once each in `warnings`. Throws `ConfigError` for broken TOML (with
 * its line) and for a key of the wrong type (with file, line, key, what was expected and what stood there).
 */
export function readTaskToml(text: string, file: string): { config: TaskToml; warnings: string[] } {
  let data: unknown;
  try {
    data = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "not TOML";
    throw new ConfigError(`${file}:${error.line}: this is not valid TOML (${reason}). Correct line ${error.line}, column ${error.column}.`);
  }
  const warnings: string[] = [];
  const first = schema.safeParse(data);
  if (first.success) return { config: first.data, warnings };
  for (const issue of first.error.issues) {
    if (issue.code !== "unrecognized_keys") throw new ConfigError(sentence(issue, data, text, file));
    const parent = at(data, issue.path);
    for (const key of issue.keys) {
      warnings.push(`${file}: ${[...issue.path, key].join(".")} is not a key that Forge knows; it is left out.`);
      if (isTable(parent)) delete parent[key];
    }
  }
  return { config: schema.parse(data), warnings };
}

function sentence(issue: z.core.$ZodIssue, data: unknown, text: string, file: string): string {
  const path = issue.path.map(String);
  const line = lineOfKey(text, path);
  const got = at(data, issue.path);
  return `${file}${line === undefined ? "" : `:${line}`}: ${path.join(".")}: expected ${expected(issue)}, got ${JSON.stringify(got)}. Correct the value, or remove the key.`;
}

const names: Readonly<Record<string, string>> = {
  int: "a whole number",
  array: "a list",
  record: "a table",
  object: "a table",
  boolean: "true or false",
  string: "text",
};

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return names[issue.expected] ?? `a ${issue.expected}`;
  if (issue.code === "invalid_value") return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
  if (issue.code === "too_small") return `${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
  if (issue.code === "invalid_union") return "text or a number";
  return issue.message;
}

const isTable = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function at(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const key of path) value = isTable(value) ? value[String(key)] : undefined;
  return value;
}
