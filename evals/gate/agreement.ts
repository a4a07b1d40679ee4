import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { codeOf, messageOf } from "../../harness/errors.ts";
import { listFiles } from "../../tasks/formats/digest-folder.ts";
import { type Task, testsFolders } from "../../tasks/task.ts";
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
  const lists: AskedCheck[][] = [];
  for (const folder of testsFolders(task)) {
    const text = await readFile(join(folder, "checks.json"), "utf8").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (text === undefined) continue;
    const parsed = checksSchema.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error("it is not an object of names and words of the instruction");
    lists.push(Object.entries(parsed.data).map(([check, asked]) => ({ check, asked })));
  }
  return lists.length === 0 ? undefined : lists.flat();
}

/** The name of the line. */
export const agreement = "instruction and verifier agree";
const cannotBeUsed = (error: unknown): string => `tests/checks.json cannot be used: ${messageOf(error).replace(/[.\s]+$/, "")}.`;
const missing = "tests/checks.json is missing; name there each thing that is checked, with the words that require it.";

/** What is wrong with the list where the tests themselves read it, so that none of them could run; undefined where they can. */
export async function unusableChecks(task: Task): Promise<string | undefined> {
  let wrong = missing;
  try {
    if ((await readChecks(task)) !== undefined) return undefined;
  } catch (error) {
    wrong = cannotBeUsed(error);
  }
  const { texts } = await textsOf(task).catch((): TestTexts => ({ texts: [], unread: [] })); // what cannot be read is told elsewhere
  return texts.some((text) => text.includes("checks.json")) ? wrong : undefined;
}

/**
 * Instruction and verifier agree as far as a machine can tell: every check names words that stand in the instruction, and the tests know its name. Whether
 * those words ask for what is checked, a reader says; the list is what there is to read.
 */
export async function agrees(task: Task): Promise<{ readonly lines: readonly CheckLine[]; readonly asks: readonly AskedCheck[] }> {
  const check = agreement;
  let asks: readonly AskedCheck[] | undefined;
  try {
    asks = await readChecks(task);
  } catch (error) {
    return { lines: [line(check, false, cannotBeUsed(error))], asks: [] };
  }
  if (!asks || asks.length === 0)
    return {
      lines: [line(check, false, missing)],
      asks: [],
    };
  const said = flat([task.instruction, ...(task.steps ?? []).map((step) => step.instruction)].join("\n"));
  const unasked = asks.filter(({ asked }) => !said.includes(flat(asked)));
  let tests: TestTexts;
  try {
    tests = await textsOf(task);
  } catch (error) {
    return { lines: [line(check, false, `tests/ cannot be read: ${messageOf(error)}.`)], asks };
  }
  const unchecked = asks.filter((one) => !tests.texts.some((text) => text.includes(one.check)));
  const unread =
    tests.unread.length === 0 ? "" : `; files of more than ${maxBytes / 1024 ** 2} MiB were not read: ${tests.unread.join(", ")}`;
  const wrong = [
    ...unasked.map(({ check: name, asked }) => `"${name}" cites words that are not in the instruction: "${asked}"`),
    ...unchecked.map(({ check: name }) => `no file of tests/ names the check "${name}"${unread}`),
  ];
  return { lines: [line(check, wrong.length === 0, `${wrong.join("; ")}.`)], asks };
}

/** Line breaks of a wrapped text mean nothing. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

interface TestTexts {
  readonly texts: readonly string[];
  /** Paths of files that are too large to be texts. */
  readonly unread: readonly string[];
}

async function textsOf(task: Task): Promise<TestTexts> {
  const files: { readonly path: string; readonly place: string }[] = [];
  for (const folder of testsFolders(task))
    for (const { path, kind } of await listFiles(folder))
      if (kind === "file" && path !== "checks.json") files.push({ path, place: join(folder, path) });
  const texts: string[] = [];
  const unread: string[] = [];
  for (const { path, place } of files) {
    if ((await stat(place)).size > maxBytes) unread.push(path);
    else texts.push(await readFile(place, "utf8"));
  }
  return { texts, unread };
}
