import { runnerOf, type Runner } from "./runners.ts";
import { splitShell, type Group, type List, type Pipeline, type Simple } from "./split-shell.ts";
import { unwrap } from "./unwrap.ts";

/**
 * What the exit code of the whole command says of one program in it. `exact`: 0 means it passed, anything else that it did not (or that
 * what it was chained to did not). `zero`: only 0 says something: it ran and passed. `none`: nothing.
 */
type Bearing = "exact" | "zero" | "none";

/** A runner in a command line, and what of its end can be seen from outside. */
export interface FoundRunner {
  readonly command: string;
  /** Its words without wrappers. */
  readonly words: readonly string[];
  readonly runner: Runner;
  readonly bearing: Bearing;
  /** Behind `||` or in the background: it may not have run. */
  readonly maybe: boolean;
  /** Runners with the same number are joined by `&&`. */
  readonly chain: string;
  /** Programs that had to end well before it began, runners left out where each is judged by itself. */
  readonly before: readonly string[];
  /** A program that may print a summary of its own follows in its chain, and it is no runner that is known. */
  readonly othersAfter: boolean;
  /** Nothing that follows it in its chain can fail. */
  readonly lastToFail: boolean;
  /** What it prints goes on to the end, or is cut at most: through `tail`, `head`, `tee` or `cat`. */
  readonly shown: boolean;
  /** What follows prints its exit code: the pattern of that line, and what the code says of it. */
  readonly printed?: { readonly pattern: RegExp; readonly bearing: Bearing };
}

const deepest = 8;
const cut = new Set(["head", "tail", "tee", "cat"]);
const cannotFail = new Set(["echo", "printf", "true", ":", "exit"]);

interface Place {
  readonly depth: number;
  readonly chain: string;
}
interface Options {
  errexit: boolean;
  pipefail: boolean;
}

export function findRunners(command: string, place: Place = { depth: 0, chain: "" }): FoundRunner[] {
  return place.depth > deepest ? [] : inList(splitShell(command), { errexit: false, pipefail: false }, place);
}

function inList(list: List, options: Options, place: Place): FoundRunner[] {
  const found: FoundRunner[] = [];
  let chain = 0;
  let before: string[] = [];
  for (const [i, pipeline] of list.entries()) {
    const joint = i === 0 ? "" : (list[i - 1]?.next ?? "");
    if (joint !== "&&" && !(options.errexit && joint === ";")) {
      chain++;
      before = [];
    }
    const maybe = joint === "||" || pipeline.next === "&";
    const here: FoundRunner[] = [];
    for (const [j, stage] of pipeline.stages.entries()) {
      readOptions(stage, options);
      const inPipe: Bearing = j === pipeline.stages.length - 1 || options.pipefail ? "exact" : "none";
      const bearing = pipeline.negated || maybe ? "none" : weaker(inPipe, afterwards(list, i, options.errexit));
      const printed = printedCode(list, i, j === 0, j === pipeline.stages.length - 1);
      const shown = pipeline.stages.slice(j + 1).every((later) => later.type === "simple" && cut.has(later.words[0] ?? ""));
      for (const one of inStage(stage, options, { depth: place.depth, chain: `${place.chain}${chain}.` }))
        here.push({
          ...one,
          bearing: weaker(one.bearing, bearing),
          maybe: one.maybe || maybe,
          before: [...before, ...one.before],
          lastToFail: one.lastToFail && canOnlyEndWell(list, i),
          othersAfter: one.othersAfter || runsOthers(list, i),
          shown: one.shown && shown,
          ...(printed && one.bearing === "exact" ? { printed } : {}),
        });
    }
    found.push(...here);
    before = [...before, ...(here.length > 0 ? [] : programsOf(pipeline))];
  }
  return found;
}

/** What the rest of the list leaves of a pipeline's exit code. With `set -e` a `;` stops at a failure as `&&` does. */
function afterwards(list: List, i: number, errexit: boolean): Bearing {
  const rest = list.slice(i, -1).map((pipeline) => pipeline.next);
  if (list[i]?.next === "&") return "none";
  if (rest.length === 0) return "exact";
  return rest.every((next) => next === "&&" || (errexit && next === ";")) ? "zero" : "none";
}

/** `…; echo "exit $?"` right behind the chain that pipeline i is in, or `${PIPESTATUS[0]}` of a pipeline that it begins. */
function printedCode(list: List, i: number, first: boolean, last: boolean): FoundRunner["printed"] {
  let end = i;
  while (list[end]?.next === "&&") end++;
  const [stage, ...piped] = list[end]?.next === ";" ? (list[end + 1]?.stages ?? []) : [];
  if (list[i]?.negated || stage?.type !== "simple" || stage.words[0] !== "echo" || piped.length > 0) return undefined;
  const said = stage.words.slice(1).join(" ");
  const code = /\$\?|\$\{\?\}/.exec(said) ?? /\$\{PIPESTATUS\[0\]\}/.exec(said);
  if (!code) return undefined;
  if (code[0].includes("PIPESTATUS") ? !first || end !== i : !last) return undefined;
  const around = [said.slice(0, code.index), said.slice(code.index + code[0].length)].map((text) =>
    text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  if (around.join("").includes("$")) return undefined;
  return { pattern: new RegExp(`^${around[0]}(\\d{1,3})${around[1]} *$`, "m"), bearing: end === i ? "exact" : "zero" };
}

function weaker(a: Bearing, b: Bearing): Bearing {
  return a === "none" || b === "none" ? "none" : a === "zero" || b === "zero" ? "zero" : "exact";
}

/** What starts other programs and is not known to be a runner, further on in the chain of pipeline i. */
function runsOthers(list: List, i: number): boolean {
  for (let at = i; list[at]?.next === "&&"; at++)
    for (const stage of list[at + 1]?.stages ?? [])
      if (stage.type === "simple" && starters.has(stage.words[0] ?? "") && !runnerOf(unwrap(stage.words))) return true;
  return false;
}
const starters = new Set(["npm", "npx", "pnpm", "yarn", "bun", "node", "python", "python3", "bash", "sh", "make"]);

const canOnlyEndWell = (list: List, i: number): boolean =>
  list.slice(i + 1).every((later) => programsOf(later).every((program) => cannotFail.has(program)));

const programsOf = ({ stages }: Pipeline): string[] =>
  stages.flatMap((stage) =>
    stage.type === "group"
      ? stage.list.flatMap(programsOf)
      : [unwrap(stage.words)[0]?.split("/").at(-1) ?? ""].filter((name) => name !== ""),
  );

function inStage(stage: Simple | Group, options: Options, place: Place): FoundRunner[] {
  if (stage.type === "group") return inList(stage.list, { ...options }, place);
  const words = unwrap(stage.words);
  const script = nestedScript(words);
  const bearing: Bearing = stage.compound ? "none" : "exact";
  if (script !== undefined) {
    const inside = findRunners(script, { ...place, depth: place.depth + 1 });
    return inside.map((one) => ({ ...one, bearing: weaker(one.bearing, bearing) }));
  }
  const runner = runnerOf(words);
  if (!runner) return [];
  const command = stage.words.join(" ");
  return [
    { command, words, runner, bearing, maybe: false, chain: place.chain, before: [], othersAfter: false, lastToFail: true, shown: true },
  ];
}

/** The script of `bash -c "…"`. */
function nestedScript(words: readonly string[]): string | undefined {
  if (!/^(?:ba|da|z)?sh$/.test(words[0]?.split("/").at(-1) ?? "")) return undefined;
  const c = words.findIndex((word, i) => i > 0 && /^-[a-z]*c$/.test(word));
  return c === -1 || words.slice(1, c).some((word) => !word.startsWith("-")) ? undefined : words[c + 1];
}

function readOptions(stage: Simple | Group, options: Options): void {
  if (stage.type !== "simple" || stage.words[0] !== "set") return;
  if (stage.words.some((word) => /^-[a-z]*e/.test(word)) || stage.words.includes("errexit")) options.errexit = true;
  if (stage.words.includes("pipefail")) options.pipefail = true;
}
