import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { CannotError, messageOf } from "../../harness/errors.ts";
import { gitSource } from "../../tasks/formats/dataset/git-source.ts";
import { loadSuite, type LoadOptions } from "../../tasks/formats/load-suite.ts";
import { ownSuites } from "../../tasks/formats/own-suites.ts";
import type { Task } from "../../tasks/task.ts";

/** `config.json` and `lock.json` of a job, as far as they tell where the tasks lie. */
const askedSchema = z.looseObject({ asked: z.looseObject({ suite: z.string() }) });
const lockSchema = z.looseObject({ cwd: z.string().optional() });

/**
 * The tasks that a job was made of, as they are now, from where its command found them.
 * @param wanted names; the others are not loaded
 * @param o.taskEnv what the user lets them read, said again: the job may be another person's
 * @param o.plan for the simulated model; default false
 * @param o.cure how the user names the tasks elsewhere
 * @throws CannotError where that place is not known or holds no suite any more
 */
export async function tasksOfJob(
  folder: string,
  wanted: ReadonlySet<string>,
  { taskEnv, plan = false, cure }: Pick<LoadOptions, "taskEnv" | "plan"> & { readonly cure: string },
): Promise<readonly Task[]> {
  const path = join(folder, "config.json");
  let suite: string;
  let cwd: string | undefined;
  try {
    suite = askedSchema.parse(JSON.parse(await readFile(path, "utf8"))).asked.suite;
    cwd = lockSchema.parse(JSON.parse(await readFile(join(folder, "lock.json"), "utf8"))).cwd;
  } catch {
    throw new CannotError(`${path} does not record where the tasks of this job are. ${cure}`);
  }
  const stays = ownSuites.some((name) => name === suite) || gitSource(suite) !== undefined;
  const place = stays || isAbsolute(suite) ? suite : join(cwd ?? ".", suite);
  try {
    return (await loadSuite(place, { variables: process.env, taskEnv, plan, wants: (name) => wanted.has(name) })).tasks;
  } catch (error) {
    throw new CannotError(`The suite of ${path} cannot be loaded: ${messageOf(error).replace(/\.$/, "")}. ${cure}`);
  }
}
