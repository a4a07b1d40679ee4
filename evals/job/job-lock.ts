import { plural } from "../../harness/text/figures.ts";
import { z } from "zod";
import { canonicalJson } from "../../harness/hash/canonical-json.ts";
import { harnessDifferences } from "./harness-differences.ts";
import { describeRule, stoppingRuleSchema } from "../study/stopping-rule.ts";
import { studySchema } from "../study/study.ts";
import { modelIdentitySchema, modeSchema, sandboxKindSchema } from "../trial/trial-record.ts";

/** `lock.json`: what a job's request was resolved to. Everything that its trials' keys are made of, by name, so that a difference can be named. */
export const jobLockSchema = z.looseObject({
  v: z.literal(1),
  /** The job's id: of what was asked first, whatever has been added since. Locks of older versions have none. */
  job: z.string().optional(),
  /** What its user calls it, by `--name`; no part of what is measured. */
  name: z.string().optional(),
  /** The folder from which paths that the user gave are meant. */
  cwd: z.string().optional(),
  /** What it may cost in all, USD, as last said. No part of what is measured: it may be raised, and the job stays the same. */
  maxCostUsd: z.number().optional(),
  forgeVersion: z.string(),
  suite: z.looseObject({ name: z.string(), digest: z.string() }),
  agent: z.string(),
  sandbox: sandboxKindSchema,
  repeats: z.int().min(1),
  /** Where the arms were made for it. */
  study: studySchema.optional(),
  /** Where the job stops as soon as these comparisons are decided. */
  untilDecided: stoppingRuleSchema.optional(),
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

/**
 * Each difference that forbids pooling, as `component: before → now`. Tasks and configurations that only one of the two has are none: those can be
 * added. The suite's own digest may differ: only the tasks that are used count.
 */
export function lockDifferences(before: JobLock, now: JobLock): string[] {
  const differences: string[] = [];
  const compare = (component: string, was: string, is: string): void => {
    if (was !== is) differences.push(`${component}: ${short(was)} → ${short(is)}`);
  };
  compare("Forge's version", before.forgeVersion, now.forgeVersion);
  compare("agent", before.agent, now.agent);
  compare("sandbox", before.sandbox, now.sandbox);
  // looks at one plan are no looks at another: such a job neither grows nor gets its rule later
  compare("what --until-decided looks at", describeRule(before), describeRule(now));
  for (const [name, was, is] of inBoth(before.tasks, now.tasks)) {
    compare(`task ${name}`, was.digest, is.digest);
    compare(`mode of task ${name}`, was.mode, is.mode);
    compare(`limits of task ${name}`, canonicalJson(was.limits), canonicalJson(is.limits));
  }
  for (const [name, was, is] of inBoth(before.configurations, now.configurations)) {
    const parts = was.harnessHash === is.harnessHash ? [] : harnessDifferences(was.config, is.config);
    compare(`harness of configuration ${name}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`, was.harnessHash, is.harnessHash);
    compare(`model of configuration ${name}`, was.modelHash, is.modelHash);
  }
  return differences;
}

/** What a job has and a request for it leaves out, each as a person would name it. */
export function lockOmissions(before: JobLock, now: JobLock): string[] {
  const absent = (kind: string, was: object, is: object): string[] =>
    Object.keys(was).flatMap((name) => (Object.hasOwn(is, name) ? [] : [`${kind} ${name}`]));
  const repeats = before.repeats > now.repeats ? [`${plural(before.repeats, "repeat")}`] : [];
  return [...absent("task", before.tasks, now.tasks), ...absent("configuration", before.configurations, now.configurations), ...repeats];
}

function inBoth<T>(before: Readonly<Record<string, T>>, now: Readonly<Record<string, T>>): [string, T, T][] {
  return Object.entries(before).flatMap(([name, was]) => {
    const is = Object.hasOwn(now, name) ? now[name] : undefined;
    return is === undefined ? [] : [[name, was, is] as [string, T, T]];
  });
}

const short = (value: string): string => (/^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : value);
