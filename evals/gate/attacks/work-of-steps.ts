import { join, posix } from "node:path";
import { z } from "zod";
import { readJson } from "../../../harness/files/read-json.ts";
import { toldSteps, traceOfStep } from "../../regrade/recorded-steps.ts";
import { artifactsPlace } from "../../trial/keep/lay-out-artifacts.ts";
import { readKeptDelta } from "../../trial/keep/delta-file.ts";
import type { TrialRecord } from "../../trial/trial-record.ts";
import { CannotError, messageOf } from "../../../harness/errors.ts";
import type { Task, TaskStep } from "../../../tasks/task.ts";

const manifestSchema = z.looseObject({
  artifacts: z.array(
    z.looseObject({ source: z.string(), destination: z.string(), status: z.string(), service: z.string().exactOptional() }),
  ),
});

/** A hardened trial of a task's solution, below `out`, and where its agent began. */
export interface SolvedTrial {
  readonly record: TrialRecord | undefined;
  readonly out: string;
  readonly workdir: string;
}

/**
 * For each step the files, absolute in the sandbox, that are others after the solution than before. Of a step whose verifier has an environment of its own
 * they are those that it gets.
 * @throws CannotError where that is not known
 */
export async function workOfSteps(task: Task, steps: readonly TaskStep[], { record, out, workdir }: SolvedTrial): Promise<string[][]> {
  if (record?.passed !== true)
    throw new CannotError(
      `The solution of ${task.name} does not pass in hardened mode (${record?.class}${record?.error === undefined ? "" : `, ${record.error}`}), so an attack on one of its steps cannot either; run it with forge bench --agent oracle first.`,
    );
  const told = (await toldSteps(out, record))?.steps ?? [];
  const work: string[][] = [];
  let before: ReadonlyMap<string, string> = new Map();
  for (const [i, { name, verifier }] of steps.entries()) {
    const unknown = (why: string): CannotError =>
      new CannotError(`What the solution of ${task.name} writes in step "${name}" is not known, so no step is attacked: ${why}`);
    const delta = told[i]?.delta;
    if (delta?.kept !== true) throw unknown(delta ? `nothing was kept of it, because ${delta.why}.` : "nothing was kept of it.");
    const attempt = join(out, traceOfStep(record, i, name));
    const files = await filesAfter(attempt).catch((error: unknown) => {
      throw unknown(messageOf(error));
    });
    const after = verifier.environment ? await asTheyWere(files, attempt, workdir) : files;
    work.push(
      filesOf(
        [...after].flatMap(([path, digest]) => (before.get(path) === digest ? [] : [path])),
        "/",
      ),
    );
    // Artifacts are a part of what there is.
    before = verifier.environment ? new Map([...before, ...after]) : after;
  }
  return work;
}

/** By path the digests of all that was kept. */
async function filesAfter(attempt: string): Promise<ReadonlyMap<string, string>> {
  const { paths } = await readKeptDelta(attempt);
  return new Map(paths.flatMap(({ base, files }) => files.map(({ path, digest }) => [posix.join(base, path), digest])));
}

/** Artifacts by the places that the agent's sandbox had them at; what lies in `/logs`, or in another service, is no work. */
async function asTheyWere(files: ReadonlyMap<string, string>, attempt: string, workdir: string): Promise<ReadonlyMap<string, string>> {
  const manifest = await readJson(join(attempt, "artifacts", "manifest.json"), manifestSchema, "is not the manifest of an attempt.");
  const taken = (manifest?.artifacts ?? []).filter(({ status, service }) => status === "ok" && service === undefined);
  return new Map(
    [...files].flatMap(([path, digest]) => {
      const at = posix.relative(artifactsPlace, path);
      const of = taken.find(({ destination }) => at === destination || at.startsWith(`${destination}/`));
      const place = of && posix.join(posix.resolve(workdir, of.source), at.slice(of.destination.length));
      return place === undefined || place.startsWith("/logs/") ? [] : [[place, digest] as const];
    }),
  );
}

/** Without folders, and without what tools write by themselves. */
export function filesOf(changed: readonly string[], folder: string): string[] {
  const own = changed.filter((path) => !/(^|\/)(\.git|__pycache__)(\/|$)/.test(path));
  return own.filter((path) => !own.some((other) => other.startsWith(`${path}/`))).map((path) => posix.join(folder, path));
}
