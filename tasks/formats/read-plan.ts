import { readFile } from "node:fs/promises";
import { parse, YAMLParseError } from "yaml";
import { ConfigError } from "../../harness/errors.ts";
import { planSchema, type Plan } from "../../harness/models/simulated/plan.ts";

/** Reads `solution/plan.yaml`; undefined where there is none. Throws `ConfigError` with the line of broken YAML, or the key that is wrong. */
export async function readPlan(file: string): Promise<Plan | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  let data: unknown;
  try {
    data = parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    const line = error.linePos?.[0].line;
    throw new ConfigError(
      `${file}${line === undefined ? "" : `:${line}`}: this is not valid YAML (${error.message.split("\n")[0]}). Correct that line.`,
    );
  }
  const read = planSchema.safeParse(data);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new ConfigError(
    `${file}: ${issue?.path.join(".") ?? "plan"}: ${issue?.message ?? "not a plan"}. The schema of a plan is in docs/tasks.md.`,
  );
}
