import { readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { messageOf } from "../../harness/errors.ts";
import type { ImageSecrets } from "../../harness/sandbox/docker/image-secrets.ts";
import { listFiles } from "../formats/digest-folder.ts";
import type { Task } from "../task.ts";
import { testsFolders } from "../tests-folders.ts";
import { line, type CheckLine } from "./check-line.ts";

/** A file of `tests/` or `solution/`, by a path that begins so, or of a step with `steps/<name>/` before it. */
export interface HiddenFile {
  readonly path: string;
  /** On this machine. */
  readonly place: string;
  readonly kind: "file" | "link";
  readonly sha256: string;
}

/** An empty `__init__.py` gives nothing away. */
const emptyFile = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** Shorter lines stand in many places by accident. */
const tellingLine = 24;
const mostBytes = 4 * 1024 * 1024;

/** All that the agent must not see; `given/` is a copy of what it may. */
async function hiddenFiles(task: Task): Promise<{ readonly hidden: readonly HiddenFile[]; readonly pristine: readonly HiddenFile[] }> {
  // Of steps, by their places in the task's folder: they may share some.
  const within = (folder: string, name: string): [string, string] => [folder, task.steps ? relative(task.folder, folder) : name];
  const solutions = (task.steps ?? [task]).flatMap(({ solution }) => (solution ? [solution.folder] : []));
  const folders = new Map([
    ...testsFolders(task).map((folder) => within(folder, "tests")),
    ...solutions.map((folder) => within(folder, "solution")),
  ]);
  const files: HiddenFile[] = [];
  for (const [folder, as] of folders)
    for (const { path, ...file } of await listFiles(folder))
      if (file.sha256 !== emptyFile) files.push({ ...file, path: `${as}/${path}`, place: join(folder, path) });
  const isGiven = ({ path }: HiddenFile): boolean => withoutStep(path).startsWith("tests/given/");
  return { hidden: files.filter((file) => !isGiven(file)), pristine: files.filter(isGiven) };
}

const withoutStep = (path: string): string => path.replace(/^steps\/[^/]+\//, "");

/** Contents that the agent is given: with the environment, or with a step. */
async function givenContents({ environment, steps }: Task): Promise<ReadonlySet<string>> {
  const folders = [environment.folder, ...(steps ?? []).map((step) => step.workdirFolder)].filter((folder) => folder !== undefined);
  return new Set((await Promise.all(folders.map((folder) => listFiles(folder)))).flat().map((file) => file.sha256));
}

/** Neither the folder that the image is made of nor the file system that the agent finds holds a hidden file. */
export async function hidesItsAnswers(task: Task, listImageFiles?: () => Promise<readonly string[]>): Promise<CheckLine[]> {
  const given = await givenContents(task);
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
  const { found: lines, unread } = await tellingLines(task, hidden);
  const texts = secrets.texts.flatMap(({ where, text }) => {
    const said = [...lines].find(([words]) => text.includes(words));
    return said ? [`${where} holds a line of ${said[1]}`] : [];
  });
  // What was not looked for may be there.
  const told = [...texts, ...unread];
  const names = [...new Set(files.map(({ path }) => path))];
  const shortened = names.slice(0, 10).join(", ") + (names.length > 10 ? `, and ${names.length - 10} more` : "");
  return [
    line("nothing hidden in a layer", names.length === 0, `a layer of the image holds ${shortened}; a later RUN rm does not take it out.`),
    line("nothing hidden in the history", told.length === 0, `${[...new Set(told)].join("; ")}; build the image without it.`),
  ];
}

/** `/tests` and `/solution`, or a path that ends like a hidden one with a folder before its name, such as `/app/solution/solve.sh`. */
function isHiddenPlace(path: string, hidden: readonly HiddenFile[]): boolean {
  return /^\/(tests|solution)\/./.test(path) || hidden.some((file) => path.endsWith(join("/", withoutStep(file.path))));
}

/** Long lines of the hidden texts that stand in no text the agent is given, and the file of each; and a clause for each file that cannot be read. */
async function tellingLines(task: Task, hidden: readonly HiddenFile[]): Promise<{ found: Map<string, string>; unread: string[] }> {
  const found = new Map<string, string>();
  const unread: string[] = [];
  const said = [task.instruction, ...(task.steps ?? []).map((step) => step.instruction)].join("\n");
  for (const { path, place } of hidden.filter(({ kind }) => kind === "file")) {
    let text: string;
    try {
      if ((await stat(place)).size > mostBytes) continue; // no text that somebody wrote
      text = await readFile(place, "utf8");
    } catch (error) {
      unread.push(`${path} cannot be read (${messageOf(error)}), so that its lines could not be looked for`);
      continue;
    }
    for (const words of text.split("\n").map((one) => one.trim()))
      if (words.length >= tellingLine && !words.startsWith("#") && !said.includes(words)) found.set(words, path);
  }
  return { found, unread };
}
