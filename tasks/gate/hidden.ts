import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImageSecrets } from "../../harness/sandbox/docker/image-secrets.ts";
import { listFiles } from "../formats/digest-folder.ts";
import type { Task } from "../task.ts";
import { line, type CheckLine } from "./check-line.ts";

/** A file of `tests/` or `solution/`, by a path that begins so. */
export interface HiddenFile {
  readonly path: string;
  readonly sha256: string;
}

/** An empty `__init__.py` gives nothing away. */
const emptyFile = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** Shorter lines stand in many places by accident. */
const tellingLine = 24;

/** All that the agent must not see; `given/` is a copy of what it may. */
async function hiddenFiles(task: Task): Promise<{ readonly hidden: readonly HiddenFile[]; readonly pristine: readonly HiddenFile[] }> {
  const tests = (await listFiles(task.verifier.testsFolder)).filter(({ sha256 }) => sha256 !== emptyFile);
  const solution = task.solution ? await listFiles(task.solution.folder) : [];
  return {
    hidden: [
      ...tests.filter(({ path }) => !path.startsWith("given/")).map(({ path, sha256 }) => ({ path: `tests/${path}`, sha256 })),
      ...solution.filter(({ sha256 }) => sha256 !== emptyFile).map(({ path, sha256 }) => ({ path: `solution/${path}`, sha256 })),
    ],
    pristine: tests.filter(({ path }) => path.startsWith("given/")).map(({ path, sha256 }) => ({ path: `tests/${path}`, sha256 })),
  };
}

/** Neither the folder that the image is made of nor the file system that the agent finds holds a hidden file. */
export async function hidesItsAnswers(task: Task, listImageFiles?: () => Promise<readonly string[]>): Promise<CheckLine[]> {
  const { folder } = task.environment;
  const given = new Set((folder === undefined ? [] : await listFiles(folder)).map((file) => file.sha256));
  const { hidden, pristine } = await hiddenFiles(task);
  const shown = hidden.filter((file) => given.has(file.sha256)).map((file) => file.path);
  const strange = pristine.filter((file) => !given.has(file.sha256)).map((file) => file.path);
  const found = [
    line(
      "nothing hidden in environment/",
      shown.length === 0,
      `the agent can read ${shown.join(", ")} in environment/; take the copy out.`,
    ),
    line("given tests are pristine", strange.length === 0, `${strange.join(", ")} is not what environment/ gives the agent; copy it anew.`),
  ];
  if (!listImageFiles) return found;
  const inImage = (await listImageFiles()).filter((path) => isHiddenPlace(path, hidden));
  return [...found, line("nothing hidden in the image", inImage.length === 0, `the image holds ${inImage.join(", ")}; do not COPY it.`)];
}

/** No layer, no step of the history, no build argument, variable or label of the image gives a hidden file away. */
export async function hidesItInLayers(task: Task, secrets: ImageSecrets): Promise<CheckLine[]> {
  const { hidden } = await hiddenFiles(task);
  const hashes = new Set(hidden.map(({ sha256 }) => sha256));
  const files = secrets.files.filter(({ path, sha256 }) => isHiddenPlace(path, hidden) || (sha256 !== undefined && hashes.has(sha256)));
  const lines = await tellingLines(task, hidden);
  const texts = secrets.texts.flatMap(({ where, text }) => {
    const said = [...lines].find(([words]) => text.includes(words));
    return said ? [`${where} holds a line of ${said[1]}`] : [];
  });
  const names = [...new Set(files.map(({ path }) => path))];
  const shortened = names.slice(0, 10).join(", ") + (names.length > 10 ? `, and ${names.length - 10} more` : "");
  return [
    line("nothing hidden in a layer", names.length === 0, `a layer of the image holds ${shortened}; a later RUN rm does not take it out.`),
    line("nothing hidden in the history", texts.length === 0, `${[...new Set(texts)].join("; ")}; build the image without it.`),
  ];
}

/** `/tests` and `/solution`, or a path that ends like a hidden one with a folder before its name, such as `/app/solution/solve.sh`. */
function isHiddenPlace(path: string, hidden: readonly HiddenFile[]): boolean {
  return /^\/(tests|solution)\/./.test(path) || hidden.some((file) => path.endsWith(join("/", file.path)));
}

/** Long lines of the hidden texts that stand in no text the agent is given, and the file of each. */
async function tellingLines(task: Task, hidden: readonly HiddenFile[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { path } of hidden) {
    const folder = path.startsWith("tests/") ? task.verifier.testsFolder : (task.solution?.folder ?? "");
    const text = await readFile(join(folder, path.replace(/^(tests|solution)\//, "")), "utf8").catch(() => "");
    for (const words of text.split("\n").map((one) => one.trim()))
      if (words.length >= tellingLine && !words.startsWith("#") && !task.instruction.includes(words)) found.set(words, path);
  }
  return found;
}
