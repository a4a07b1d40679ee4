import { readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { messageOf } from "../../../harness/errors.ts";
import type { ImageSecrets } from "../../../harness/sandbox/docker/image/image-secrets.ts";
import { lineHashes } from "../../../harness/hash/line-hashes.ts";
import { listFiles } from "../../../tasks/formats/digest-folder.ts";
import { type Task, testsFolders } from "../../../tasks/task.ts";
import { line, type CheckLine } from "../check-line.ts";
import { givenStateOf, tellingLength, tellingParts, type HiddenText } from "./telling-parts.ts";

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
const mostBytes = 4 * 1024 * 1024;

interface HiddenFiles {
  readonly hidden: readonly HiddenFile[];
  readonly pristine: readonly HiddenFile[];
}

/** All that the agent must not see; `given/` is a copy of what it may. */
async function hiddenFiles(task: Task): Promise<HiddenFiles> {
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

/** Files that the agent is given, with the environment or with a step, by their paths in the task's folder. */
async function givenFiles({ folder, environment, steps }: Task): Promise<readonly HiddenFile[]> {
  const folders = [environment.folder, ...(steps ?? []).map((step) => step.workdirFolder)].filter((one) => one !== undefined);
  const files: HiddenFile[] = [];
  for (const one of new Set(folders))
    for (const { path, ...file } of await listFiles(one))
      files.push({ ...file, path: relative(folder, join(one, path)), place: join(one, path) });
  return files;
}

/** Neither the folder that the image is made of nor the file system that the agent finds holds a hidden file. */
export async function hidesItsAnswers(task: Task, listImageFiles?: () => Promise<readonly string[]>): Promise<CheckLine[]> {
  const given = await givenFiles(task);
  const contents = new Set(given.map(({ sha256 }) => sha256));
  const files = await hiddenFiles(task);
  const { hidden, pristine } = files;
  const shown = hidden.filter(({ sha256 }) => contents.has(sha256)).map(({ path }) => path);
  const parts = await partsInFiles(task, files, given);
  const strange = pristine.filter(({ sha256 }) => !contents.has(sha256)).map(({ path }) => path);
  const seen = [
    ...(shown.length > 0 ? [`the agent can read ${shown.join(", ")} in environment/; take the copy out`] : []),
    ...(parts.length > 0 ? [`the agent can read a part of a hidden file in ${listed(parts)}; take it out`] : []),
  ];
  const found = [
    line("nothing hidden in environment/", seen.length === 0, `${seen.join("; ")}.`),
    line(
      "given tests are pristine",
      strange.length === 0,
      `${strange.join(", ")} is not what environment/ gives the agent; copy it again.`,
    ),
  ];
  if (!listImageFiles) return found;
  const inImage = (await listImageFiles()).filter((path) => isHiddenPlace(path, hidden));
  return [...found, line("nothing hidden in the image", inImage.length === 0, `the image holds ${inImage.join(", ")}; do not COPY it.`)];
}

/** Files among those given that hold a part of a hidden one, and of which. Copies of whole ones are not among them. */
async function partsInFiles(task: Task, files: HiddenFiles, given: readonly HiddenFile[]): Promise<string[]> {
  const { hidden, pristine } = files;
  const whole = new Set([...hidden, ...pristine].map(({ sha256 }) => sha256));
  const places = new Set(hidden.map(({ place }) => place));
  const looked = await partsOf(task, files, given);
  const found: string[] = [];
  for (const { path, place, kind, sha256 } of given) {
    if (kind === "link" || whole.has(sha256) || places.has(place)) continue;
    const part = looked.in({ path, lines: await linesOf(place) });
    if (part) found.push(saying(path, part));
  }
  return found;
}

const saying = (path: string, { of, lines }: { readonly of: string; readonly lines: number }): string =>
  `${path} (${lines} line${lines === 1 ? "" : "s"} of ${of})`;

/** What to look for in files that the agent can read. */
async function partsOf(
  task: Task,
  { hidden, pristine }: HiddenFiles,
  given: readonly HiddenFile[],
): Promise<ReturnType<typeof tellingParts>> {
  const texts: HiddenText[] = [];
  for (const { path, place, kind } of hidden)
    if (kind === "file") {
      const text = await textOf(place).catch(() => undefined); // who looks for its lines in the history says so
      if (text !== undefined) texts.push({ path, name: withoutStep(path), text });
    }
  const ends = texts.flatMap(({ name }) => (name.startsWith("tests/") ? (givenStateOf(name) ?? []) : []));
  const states = given.filter(({ path, kind }) => kind === "file" && ends.some((end) => path.endsWith(end)));
  return tellingParts(texts, {
    asked: instructionsOf(task),
    tests: await Promise.all(pristine.filter(({ kind }) => kind === "file").map(({ place }) => linesOf(place))),
    states: await Promise.all(states.map(({ place }) => linesOf(place))),
  });
}

const instructionsOf = (task: Task): string => [task.instruction, ...(task.steps ?? []).map((step) => step.instruction)].join("\n");

/** Undefined where it is longer than what someone wrote. Throws what reading it throws. */
const textOf = async (place: string): Promise<string | undefined> =>
  (await stat(place)).size > mostBytes ? undefined : readFile(place, "utf8");

const linesOf = async (place: string): Promise<Float64Array> =>
  (await stat(place)).size > mostBytes ? new Float64Array() : lineHashes(await readFile(place));

/** The first ten, and how many more there are. */
const listed = (names: readonly string[]): string =>
  names.slice(0, 10).join(", ") + (names.length > 10 ? `, and ${names.length - 10} more` : "");

/** No layer, no step of the history, no build argument, variable or label of the image gives a hidden file away. */
export async function hidesItInLayers(task: Task, secrets: ImageSecrets): Promise<CheckLine[]> {
  const all = await hiddenFiles(task);
  const { hidden } = all;
  const hashes = new Set(hidden.map(({ sha256 }) => sha256));
  const files = secrets.files.filter(({ path, sha256 }) => isHiddenPlace(path, hidden) || (sha256 !== undefined && hashes.has(sha256)));
  const { found: lines, unread } = await tellingLines(task, hidden);
  const texts = secrets.texts.flatMap(({ where, text }) => {
    const said = [...lines].find(([words]) => text.includes(words));
    return said ? [`${where} holds a line of ${said[1]}`] : [];
  });
  // What was not looked for may be there.
  const told = [...texts, ...unread];
  const looked = await partsOf(task, all, await givenFiles(task));
  const pieces = secrets.files.flatMap(({ path, lines: own }) => {
    const part = own && looked.in({ path, lines: own });
    return part ? [{ path, part }] : [];
  });
  const whole = new Set(files.map(({ path }) => path));
  const names = [...new Set([...whole, ...pieces.flatMap(({ path, part }) => (whole.has(path) ? [] : [saying(path, part)]))])];
  return [
    line(
      "nothing hidden in a layer",
      names.length === 0,
      `a layer of the image holds ${listed(names)}; a later RUN rm does not take it out.`,
    ),
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
  const said = instructionsOf(task);
  for (const { path, place } of hidden.filter(({ kind }) => kind === "file")) {
    let text: string | undefined;
    try {
      text = await textOf(place);
    } catch (error) {
      unread.push(`${path} cannot be read (${messageOf(error)}), so that its lines could not be looked for`);
      continue;
    }
    for (const words of (text ?? "").split("\n").map((one) => one.trim()))
      if (words.length >= tellingLength && !words.startsWith("#") && !said.includes(words)) found.set(words, path);
  }
  return { found, unread };
}
