import { join } from "node:path";
import { ConfigError } from "../../../harness/errors.ts";
import { planSchema, type Plan } from "../../../harness/models/simulated/plan.ts";
import { readPart } from "../read/read-part.ts";
import { readYaml } from "../read/read-yaml.ts";

/** Reads a task's `solution/plan.yaml`; undefined where there is none. Throws `ConfigError` with the line of broken YAML, or the key that is wrong. */
export async function readPlan(root: string): Promise<Plan | undefined> {
  const text = await readPart(root, "solution/plan.yaml");
  if (text === undefined) return undefined;
  const file = join(root, "solution", "plan.yaml");
  const read = planSchema.safeParse(readYaml(text, file).data);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new ConfigError(
    `${file}: ${issue?.path.join(".") ?? "plan"}: ${issue?.message ?? "not a plan"}. The schema of a plan is in docs/tasks.md.`,
  );
}
