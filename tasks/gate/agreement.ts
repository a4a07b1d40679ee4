import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../harness/errors.ts";
import { listFiles } from "../formats/digest-folder.ts";
import { exists } from "../formats/exists.ts";
import type { Task } from "../task.ts";
import { line, type CheckLine } from "./check-line.ts";

/** A thing that the verifier checks, by the name it goes by in `tests/`, and the words of the instruction that ask for it. */
export interface AskedCheck {
  readonly check: string;
  readonly asked: string;
}

const checksSchema = z.record(z.string().min(1), z.string().min(1));
const maxBytes = 1024 * 1024;

/** The list in `tests/checks.json`; undefined where the task has none. Throws a plain Error for one that cannot be read. */
async function readChecks(task: Task): Promise<readonly AskedCheck[] | undefined> {
  const path = join(task.verifier.testsFolder, "checks.json");
  if (!(await exists(path))) return undefined;
  const parsed = checksSchema.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (!parsed.success) throw new Error("it is no object of names and words of the instruction");
  return Object.entries(parsed.data).map(([check, asked]) => ({ check, asked }));
}

/**
 * Instruction and verifier agree as far as a machine can tell: every check names words that stand in the instruction, and the tests know its name. Whether
 * those words ask for what is checked, a reader says; the list is what there is to read.
 */
export async function agrees(task: Task): Promise<{ readonly lines: readonly CheckLine[]; readonly asks: readonly AskedCheck[] }> {
  const check = "instruction and verifier agree";
  let asks: readonly AskedCheck[] | undefined;
  try {
    asks = await readChecks(task);
  } catch (error) {
    return { lines: [line(check, false, `tests/checks.json cannot be used: ${messageOf(error)}.`)], asks: [] };
  }
  if (!asks || asks.length === 0)
    return {
      lines: [line(check, false, "tests/checks.json is missing; name there each thing that is checked, with the words that ask for it.")],
      asks: [],
    };
  const said = flat([task.instruction, ...(task.steps ?? []).map((step) => step.instruction)].join("\n"));
  const unasked = asks.filter(({ asked }) => !said.includes(flat(asked)));
  const tests = await textsOf(task);
  const unchecked = asks.filter((one) => !tests.some((text) => text.includes(one.check)));
  const wrong = [
    ...unasked.map(({ check: name, asked }) => `"${name}" rests on words that are not in the instruction: "${asked}"`),
    ...unchecked.map(({ check: name }) => `no file of tests/ names the check "${name}"`),
  ];
  return { lines: [line(check, wrong.length === 0, `${wrong.join("; ")}.`)], asks };
}

/** Line breaks of a wrapped text mean nothing. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

async function textsOf({ verifier: { testsFolder } }: Task): Promise<string[]> {
  const files = (await listFiles(testsFolder)).filter(({ path, kind }) => kind === "file" && path !== "checks.json");
  const texts = await Promise.all(files.map(({ path }) => readFile(join(testsFolder, path))));
  return texts.filter((bytes) => bytes.length <= maxBytes).map((bytes) => bytes.toString("utf8"));
}
