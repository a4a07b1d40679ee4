// What the tests need beyond Node, read from their text: in which project of vitest each belongs, and what a chosen few ask to be provided.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** @typedef {import("./missing.mjs").Need} Need */

/**
 * What takes long to provide or to use. A test that calls `needs` with one of these belongs to the project `machine`.
 * @type {ReadonlySet<Need>}
 */
export const heavyNeeds = new Set(
  /** @type {const} */ (["docker", "docker-daemon", "buildx", "cgroups", "chromium", "bubblewrap", "mount", "strace", "tmux", "gcc"]),
);

/**
 * @param {string} folder
 * @returns {string[]} every test file below it; fixtures may hold tests of their own, which are data
 */
export function listTests(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith(join(folder, "fixtures")))
    .toSorted();
}

/**
 * The names in `needs("…")` and `there("…")` of a test and of the files beside it that it imports, at any depth.
 * @param {string} file
 * @returns {Set<string>}
 */
export function namedNeeds(file) {
  /** @type {Set<string>} */
  const named = new Set();
  for (const text of textsOf(file)) for (const [, name = ""] of text.matchAll(/\b(?:needs|there)\("([\w-]+)"\)/g)) named.add(name);
  return named;
}

/**
 * @param {string} file a test
 * @param {ReadonlySet<Need>} among
 * @returns {Set<Need>} those it may need: what is named in a call; whatever is mentioned where a call has a variable, and of what is light anyway
 */
export function needsAmong(file, among) {
  const named = namedNeeds(file);
  const texts = textsOf(file);
  const varies = texts.some((text) => /\b(?:needs|there)\([a-z]/.test(text));
  const mentioned = (/** @type {Need} */ need) => texts.some((text) => text.includes(`"${need}"`));
  return new Set([...among].filter((need) => named.has(need) || ((varies || !heavyNeeds.has(need)) && mentioned(need))));
}

/**
 * @param {string} file
 * @returns {boolean} whether a test starts the compiled command, or may
 */
export function startsCommand(file) {
  return textsOf(file).some((text) => /"dist"|\bdist\/cli|needs\("build"\)/.test(text));
}

const carriesOutTrials = /\/evals\/bench\/bench\.ts"|\/create-bench-ports\.ts"|\/run-bench\.ts"|\/harness\/sandbox\/(?:local|host)\//;
const startsPrograms = /"node:child_process"|"execa"/;

/**
 * `machine`: with a container, another sandbox or a browser. `command`: starts the compiled command, without those. `bench`: carries out trials, or works in
 * a sandbox of this machine by itself. `process`: starts other programs. `plain`: everything else.
 * @param {string} file
 * @returns {"plain" | "process" | "bench" | "command" | "machine"} the project of a test
 */
export function projectOf(file) {
  if (needsAmong(file, heavyNeeds).size > 0) return "machine";
  if (startsCommand(file)) return "command";
  const texts = textsOf(file);
  if (texts.some((text) => carriesOutTrials.test(text))) return "bench";
  return texts.some((text) => startsPrograms.test(text)) ? "process" : "plain";
}

/**
 * A test's text and those of what it imports from `test/`.
 * @param {string} file
 * @returns {string[]}
 */
function textsOf(file) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const open = [file];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (texts.has(path) || !existsSync(path) || path === join("test", "needs.ts")) continue;
    const text = readFileSync(path, "utf8");
    texts.set(path, text);
    for (const [, target = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+\.ts)"/g)) {
      const imported = join(dirname(path), target);
      if (imported.startsWith("test")) open.push(imported);
    }
  }
  return [...texts.values()];
}
