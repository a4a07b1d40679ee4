import { z } from "zod";
import { modelIdentitySchema, modeSchema, sandboxKindSchema } from "../trial-record.ts";

/** `lock.json`: what a job's request was resolved to. Everything that its trials' keys are made of, by name, so that a difference can be named. */
export const jobLockSchema = z.looseObject({
  v: z.literal(1),
  forgeVersion: z.string(),
  suite: z.looseObject({ name: z.string(), digest: z.string() }),
  agent: z.string(),
  sandbox: sandboxKindSchema,
  repeats: z.int().min(1),
  tasks: z.record(
    z.string(),
    z.looseObject({
      digest: z.string(),
      mode: modeSchema,
      family: z.string().nullable(),
      difficulty: z.string().nullable(),
      split: z.string().nullable(),
      limits: z.record(z.string(), z.json()),
    }),
  ),
  configurations: z.record(
    z.string(),
    z.looseObject({
      harnessHash: z.string(),
      modelHash: z.string(),
      model: modelIdentitySchema,
      /** The resolved configuration, for the reader: its hash stands above. */
      config: z.record(z.string(), z.json()),
    }),
  ),
});
export type JobLock = z.infer<typeof jobLockSchema>;

/** Each difference that forbids pooling, as `component: before → now`. The suite's own digest may differ: only the tasks that are used count. */
export function lockDifferences(before: JobLock, now: JobLock): string[] {
  const differences: string[] = [];
  const compare = (component: string, was: string | undefined, is: string | undefined): void => {
    if (was !== is) differences.push(`${component}: ${short(was)} → ${short(is)}`);
  };
  compare("Forge's version", before.forgeVersion, now.forgeVersion);
  compare("agent", before.agent, now.agent);
  compare("sandbox", before.sandbox, now.sandbox);
  for (const name of names(before.tasks, now.tasks)) {
    const [was, is] = [before.tasks[name], now.tasks[name]];
    compare(`task ${name}`, was?.digest, is?.digest);
    compare(`mode of task ${name}`, was?.mode, is?.mode);
    compare(`limits of task ${name}`, was && JSON.stringify(was.limits), is && JSON.stringify(is.limits));
  }
  for (const name of names(before.configurations, now.configurations)) {
    const [was, is] = [before.configurations[name], now.configurations[name]];
    compare(`harness of configuration ${name}`, was?.harnessHash, is?.harnessHash);
    compare(`model of configuration ${name}`, was?.modelHash, is?.modelHash);
  }
  return differences;
}

const names = (a: object, b: object): string[] => [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
const short = (value: string | undefined): string =>
  value === undefined ? "none" : /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value;
