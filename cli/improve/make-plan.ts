import { join } from "node:path";
import { z } from "zod";
import { analyze } from "../../analyzer/analysis/analyze.ts";
import { analysesFor, issuesIn } from "../../analyzer/issues/issue-store.ts";
import { isAccepted, type StoredIssue } from "../../analyzer/issues/stored-issue.ts";
import { choosePatches, isRemoval, type ChosenPatches } from "../../analyzer/improve/choose-patches.ts";
import type { DevelopRuns } from "../../analyzer/improve/develop-runs.ts";
import { hashOfPlan, type ImprovementPlan, type PlanFile } from "../../analyzer/improve/improvement-plan.ts";
import { splitFamilies, splitRule } from "../../analyzer/improve/split.ts";
import { configRegistry, replayParts } from "../../assembly/registry.ts";
import { askedSchema } from "../../evals/job/asked-command.ts";
import { CannotError, ConfigError, ForgeError } from "../../harness/errors.ts";
import { readJson } from "../../harness/files/read-json.ts";
import { forgeVersion } from "../../harness/package/package-root.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { requireOwnAddress } from "../../harness/trust/own-address.ts";
import { plural } from "../../reports/text/format.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { families as generatedFamilies } from "../../tasks/generated/families.ts";
import { levels, type Level } from "../../tasks/generated/family.ts";
import { modes, sandboxes, type BenchFlags } from "../bench/options.ts";
import { acceptOne } from "../issues/decide-issues.ts";
import type { ImproveFlags } from "./options.ts";

/** How the jobs are run, beside their tasks and configurations: as the job was that is improved, but for what is said again. */
export type RunFlags = Pick<BenchFlags, "model" | "baseUrl" | "price" | "sandbox" | "mode" | "dockerHost" | "jobs">;

const askedOfJob = askedSchema.extend({ mode: z.enum(modes).nullable(), sandbox: z.enum(sandboxes).nullable() });

export async function runFlagsOf({ job }: DevelopRuns, o: ImproveFlags): Promise<RunFlags> {
  const config = await readJson(
    join(job, "config.json"),
    askedOfJob,
    "does not hold the request as forge bench writes it; give another job.",
  );
  const asked = config?.asked;
  if (o.baseUrl === undefined) requireOwnAddress(asked?.baseUrl ?? undefined, job);
  const chosen = { model: o.model ?? asked?.model, baseUrl: o.baseUrl ?? asked?.baseUrl, price: o.price ?? asked?.price };
  const more = { sandbox: o.sandbox ?? config?.sandbox, mode: config?.mode, dockerHost: o.dockerHost, jobs: o.jobs };
  return Object.fromEntries(Object.entries({ ...chosen, ...more }).filter(([, value]) => value !== null && value !== undefined));
}

/** Families and levels of the tasks that are to be drawn. */
async function suiteOf(named: string, develop: DevelopRuns): Promise<{ families: readonly string[]; levels: readonly Level[] }> {
  const known = generatedFamilies.map(({ name }) => name);
  if (named === "generated") {
    const found = levels.filter((level) => develop.runs.some(({ record }) => record.difficulty === level));
    return { families: known, levels: found.length > 0 ? found : ["easy"] };
  }
  const { tasks } = await loadSuite(named, { variables: process.env, taskEnv: undefined, plan: false });
  const drawn = tasks.map(({ name, metadata: { family = "", difficulty } }) => {
    const level = levels.find((one) => one === difficulty);
    if (!known.includes(family) || level === undefined || !name.startsWith(`${family}-${level}-`))
      throw new ConfigError(
        `--tasks ${oneLine(named)}: ${oneLine(name)} is not a generated task, so no fresh one like it can be drawn; name a folder that forge task generate made, or generated.`,
      );
    return { family, level };
  });
  return {
    families: [...new Set(drawn.map(({ family }) => family))],
    levels: levels.filter((level) => drawn.some((one) => one.level === level)),
  };
}

/** What an improvement would do, all of it, before anything is run. Analyzes develop runs where nothing is accepted yet, and accepts with `--gate auto`. */
export async function makePlan(
  develop: DevelopRuns,
  flags: ImproveFlags,
  run: RunFlags,
  signal: AbortSignal,
): Promise<PlanFile & { readonly notes: readonly string[] }> {
  const suite = await suiteOf(flags.tasks, develop);
  const split = splitFamilies(suite.families);
  if (split.develop.length === 0 || split.test.length === 0)
    throw new ConfigError(
      `--tasks ${oneLine(flags.tasks)}: ${plural(suite.families.length, "family", "families")} (${suite.families.join(", ")}), none of them for ${split.test.length === 0 ? "the test" : "development"}: ${splitRule}. Name a suite with both, such as generated.`,
    );
  const { chosen, refused } = await patchesFor(develop, flags, signal);
  const harnessHash = develop.lock.configurations[develop.configuration]?.harnessHash ?? "";
  const accepted = chosen.map((issue) => ({ issue, event: issue.history.findLast(({ what }) => what === "accepted") }));
  const familyOf = new Map(Object.entries(develop.lock.tasks).map(([task, { family }]) => [task, family ?? task]));
  const familiesOf = (tasks: readonly string[]): string[] => [...new Set(tasks.map((task) => familyOf.get(task) ?? task))].toSorted();
  const plan: ImprovementPlan = {
    v: 1,
    forgeVersion: forgeVersion(),
    source: {
      configuration: develop.configuration,
      harnessHash,
      model: run.model ?? chosen[0]?.base?.model ?? "",
      digests: develop.runs.map(({ digest }) => digest).toSorted(),
      failed: develop.runs.filter(({ record }) => record.passed === false).length,
    },
    patches: accepted.map(({ issue, event }) => ({
      issue: issue.id,
      title: issue.title,
      suggestion: issue.suggestion,
      change: issue.change ?? {},
      hash: event?.hashAfter ?? "",
      removal: isRemoval(issue.change ?? {}),
      predicted: { fixes: familiesOf(issue.predictedFixes), atRisk: familiesOf(issue.atRisk) },
    })),
    rule: splitRule,
    develop: [...split.develop],
    test: [...split.test],
    levels: [...suite.levels],
    screenSeeds: flags.screenSeeds,
    testSeeds: flags.testSeeds,
    sandbox: run.sandbox ?? null,
    mode: run.mode ?? null,
  };
  const [base = ""] = accepted[0]?.event?.files ?? [];
  const others = accepted.filter(({ event }) => event?.hashBefore !== accepted[0]?.event?.hashBefore);
  if (others.length > 0)
    throw new ConfigError(
      `The accepted changes extend different files: ${accepted.map(({ issue, event }) => `${issue.id} ${event?.files?.[0]}`).join(", ")}. Accept them over one: forge issues accept ISSUE --base FILE.`,
    );
  return {
    plan,
    hash: hashOfPlan(plan),
    job: develop.job,
    runs: develop.runs.map(({ run: name, digest }) => ({ run: name, digest })),
    base,
    patches: Object.fromEntries(accepted.map(({ issue, event }) => [issue.id, event?.files?.[1] ?? ""])),
    notes: refused.map(({ issue, why }) => `${issue.id} is left out: ${why}.`),
  };
}

async function patchesFor(develop: DevelopRuns, flags: ImproveFlags, signal: AbortSignal): Promise<ChosenPatches> {
  const { store } = flags;
  const auto = flags.gate === "auto";
  const hash = develop.lock.configurations[develop.configuration]?.harnessHash ?? "";
  const choose = async (): Promise<ChosenPatches> =>
    choosePatches((await issuesIn(store)).issues, { hash, develop: develop.families, auto, most: flags.maxPatches });
  const before = await choose();
  if (!auto && before.chosen.length > 0) return before;
  await analyze(
    { sources: develop.runs.map(({ run }) => run), analyses: analysesFor(store), store },
    { clock: systemClock, signal, presets: configRegistry.presets, replay: replayParts({ trust: false }) },
  );
  const found = await choose();
  if (!auto && found.chosen.length === 0) throw nothingAccepted(found, develop);
  const leaking: { issue: StoredIssue; why: string }[] = [];
  for (const issue of found.chosen.filter((one) => !isAccepted(one)))
    try {
      await acceptOne(issue.id, { store, ...(flags.base === undefined ? {} : { base: flags.base }) });
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      leaking.push({ issue, why: error.message.replace(/\.$/, "") });
    }
  const ids = found.chosen.map(({ id }) => id);
  const chosen = (await issuesIn(store)).issues.filter((issue) => ids.includes(issue.id) && isAccepted(issue));
  const refused = [...found.refused, ...leaking];
  if (chosen.length === 0) throw nothingAccepted({ ...found, refused }, develop);
  return { ...found, refused, chosen: chosen.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

function nothingAccepted({ proposals, refused }: Pick<ChosenPatches, "proposals" | "refused">, develop: DevelopRuns): CannotError {
  const why = refused.map(({ issue, why: clause }) => ` ${issue.id} is left out: ${clause}.`).join("");
  const failed = develop.runs.filter(({ record }) => record.passed === false).length;
  const looked = `of ${plural(failed, "failed run")} of ${plural(develop.families.length, "develop family", "develop families")}`;
  if (proposals.length === 0)
    return new CannotError(
      `No change of ${oneLine(develop.configuration)} is accepted, and the analysis ${looked} proposes none that is worth it.${why} Write one with forge issues edit, or bench more tasks.`,
    );
  const listed = proposals.map(({ number, suggestion }) => `${number} (${oneLine(suggestion)})`).join(", ");
  return new CannotError(
    `No change of ${oneLine(develop.configuration)} is accepted; the analysis ${looked} proposes ${listed}.${why} Accept some by forge issues accept ${proposals[0]?.number}, then run the same command again; or let it accept them: --gate auto --budget 60m.`,
  );
}
