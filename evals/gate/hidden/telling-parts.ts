import { basename } from "node:path";
import { lineHash } from "../../../harness/hash/line-hashes.ts";

/** A text that the agent must not see. */
export interface HiddenText {
  readonly path: string;
  /** Its path from `tests/` or `solution/` on. */
  readonly name: string;
  readonly text: string;
}

/** A file that the agent can read, with the numbers of its lines (`lineHashes`). */
export interface ReadableFile {
  readonly path: string;
  readonly lines: Float64Array;
}

/** Shorter lines stand in many places by accident. */
export const tellingLength = 24;
/** So many telling lines, within so many lines of a file, were not written twice by accident. */
const telling = { lines: 5, within: 20 };
/** Of a shorter text: so much of it. */
const mostOfIt = 0.75;
/** Fewer lines tell by themselves nothing. */
const fewest = 3;

/** Data of a test may be a part of the data that is given, as expected output is of input; a program that is written twice was copied. */
const program = /\.(py|sh|bash|bats|[cm]?[jt]sx?|rb|go|java|kt|c|cc|cpp|h|hpp|rs|php|pl|lua|cs|swift|scala|exs?|r|sql|t)$/i;
/** Lines that programs share whoever wrote them: comments (licences among them), imports, the way that a program of Python begins. */
const common = /^(#|\/\/|\/?\*|--|<!--|;)|^(import|from|using|use|package|require|include)\b|= require\(|^if __name__ ==/;

interface Wanted {
  readonly path: string;
  /** Lines that tell; those of a text that is only looked for as a whole are all its own. */
  readonly lines: ReadonlySet<number>;
  readonly whole: boolean;
  /** Where another state of it is given: the end of that file's path. */
  readonly besides: string | undefined;
}

/** What the agent is given by design. */
export interface GivenTexts {
  /** The instruction. */
  readonly asked: string;
  readonly tests: readonly Float64Array[];
  /** Other states of files that a verifier brings (`givenStateOf`). */
  readonly states: readonly Float64Array[];
}

/**
 * Looks for parts of hidden programs in files that the agent can read. Of a test: five telling lines within twenty lines of the file, or three quarters of
 * its telling lines, which are at least three; of one with fewer, and of a solution, most of which
 * stands in what it mends, all lines but comments, and from five on but one.
 * A line tells when it is long enough, no comment or import, and does not stand in what is given.
 */
export function tellingParts(hidden: readonly HiddenText[], given: GivenTexts) {
  const linesOf = (texts: readonly Float64Array[]): Set<number> => new Set(texts.flatMap((lines) => Array.from(lines)));
  const known = { tests: linesOf(given.tests), states: linesOf(given.states) };
  const wanted = hidden.flatMap((one) => wantedOf(one, given.asked, known));
  const places = new Map<number, Wanted[]>();
  for (const one of wanted) for (const hash of one.lines) places.set(hash, [...(places.get(hash) ?? []), one]);
  // Nearly all lines are none of these, and an array is asked sooner than a map.
  const maybe = new Uint8Array(2 ** 16);
  for (const hash of places.keys()) maybe[hash & 0xffff] = 1;
  return {
    /** The hidden text of which the file holds a part, and of how many lines; undefined where it holds none. */
    in(file: ReadableFile): { readonly of: string; readonly lines: number } | undefined {
      const at = new Map<Wanted, Map<number, number>>();
      const close = new Set<Wanted>();
      for (let i = 0; i < file.lines.length; i++) {
        const hash = file.lines[i] ?? 0;
        if (maybe[hash & 0xffff] === 0) continue;
        for (const one of places.get(hash) ?? []) {
          const seen = at.get(one) ?? new Map<number, number>();
          at.set(one, seen.set(hash, i));
          if (seen.size >= telling.lines && !close.has(one) && near(seen, i)) close.add(one);
        }
      }
      for (const [one, seen] of at) {
        if (one.besides !== undefined && file.path.endsWith(one.besides)) continue;
        const all = one.lines.size;
        // What a solution mends has neither its first line, which says where it goes, nor the line that is mended.
        const enough = one.whole ? seen.size >= (all < telling.lines ? all : all - 1) : close.has(one) || seen.size >= all * mostOfIt;
        if (enough) return { of: one.path, lines: seen.size };
      }
      return undefined;
    },
  };
}

/** Whether enough of the lines were last met shortly before. */
function near(seen: ReadonlyMap<number, number>, now: number): boolean {
  let count = 0;
  for (const place of seen.values()) if (place > now - telling.within) count++;
  return count >= telling.lines;
}

type Known = Readonly<Record<"tests" | "states", ReadonlySet<number>>>;

function wantedOf({ path, name, text }: HiddenText, asked: string, known: Known): Wanted[] {
  if (!program.test(path) && !text.startsWith("#!")) return [];
  const lines = text.split("\n").map((line) => line.trim());
  const own = lines.filter((line) => line.length >= tellingLength && !common.test(line) && !asked.includes(line));
  const besides = givenStateOf(name);
  const isGiven = (hash: number): boolean => known.tests.has(hash) || (besides !== undefined && known.states.has(hash));
  const tells = new Set(own.map(lineHash).filter((hash) => !isGiven(hash)));
  if (tells.size === 0) return [];
  const whole = tells.size < fewest || name.startsWith("solution/");
  const all = (): ReadonlySet<number> => new Set(lines.filter((line) => line !== "" && !line.startsWith("#")).map(lineHash));
  return [{ path, lines: whole ? all() : tells, whole, besides }];
}

/** The end of the path of the file that a hidden one is another state of: `tests/reference/app/a.py` of `app/a.py`. What lies in `tests/` itself is of none. */
export function givenStateOf(name: string): string | undefined {
  if (name.startsWith("solution/")) return `/${basename(name)}`;
  const [, , ...rest] = name.split("/");
  return rest.length === 0 ? undefined : `/${rest.join("/")}`;
}
