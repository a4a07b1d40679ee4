import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { CannotError, codeOf } from "../../harness/errors.ts";

const lineSchema = z.looseObject({ plan: z.string(), folder: z.string(), test: z.array(z.string()), at: z.number() });

/**
 * Claims the one test of a plan, durable before its first trial.
 * @returns how many other plans used one of these test families before
 */
export async function claimTest(
  ledgers: string,
  { plan, folder, test, at }: { readonly plan: string; readonly folder: string; readonly test: readonly string[]; readonly at: number },
): Promise<number> {
  const file = join(ledgers, "tests.jsonl");
  const known = await readClaims(file);
  // It begins a line of its own, also after one that a killed process left half-written.
  if (!known.some((line) => line.plan === plan))
    await appendFile(file, `\n${JSON.stringify({ v: 1, plan, folder: resolve(folder), test, at })}\n`, { flush: true });
  return new Set(known.filter((line) => line.plan !== plan && line.test.some((family) => test.includes(family))).map((line) => line.plan))
    .size;
}

/** The folder in which the plan's one test was started; undefined: it was not. */
async function claimedIn(ledgers: string, plan: string): Promise<string | undefined> {
  return (await readClaims(join(ledgers, "tests.jsonl"))).find((line) => line.plan === plan)?.folder;
}

/** @throws CannotError for a plan whose test was started in another folder, or whose test is gone: a second draw would be a second chance */
export async function refuseSecondTest(ledgers: string, plan: string, folder: string, job: string): Promise<void> {
  const claimed = await claimedIn(ledgers, plan);
  if (claimed === undefined) return;
  const cure = "make another plan, of other patches or other numbers of seeds";
  if (resolve(claimed) !== resolve(folder))
    throw new CannotError(`This plan was tested in ${claimed}, and a plan is tested once: read report.md there, or ${cure}.`);
  if (!existsSync(job))
    throw new CannotError(`The test of this plan was started, and ${job} is gone; a plan is tested once. Restore the folder, or ${cure}.`);
}

async function readClaims(file: string): Promise<z.infer<typeof lineSchema>[]> {
  let text = "";
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return text.split("\n").flatMap((line) => {
    try {
      return [lineSchema.parse(JSON.parse(line))];
    } catch {
      return []; // torn: nothing was run after it
    }
  });
}
