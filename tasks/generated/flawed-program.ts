import { directions } from "./directions.ts";
import type { Draw } from "./draw.ts";
import type { Family, Level, TaskDraft } from "./family.ts";
import { bash } from "./plan-parts.ts";
import { swap } from "./swap.ts";
import { text, writeFile } from "./text.ts";

/** Pieces of a program's files, each of which stands in all of them once, and what stands there instead. */
export type Pieces = readonly (readonly [right: string, instead: string])[];

/** A program that is right in plain use, and ways in which it fails when something else happens too. */
export interface FlawedProgram {
  readonly file: string;
  /** What it is and how it is used, each a sentence. */
  readonly about: string;
  readonly uses: readonly string[];
  /** The right program. */
  readonly source: string;
  /** Further files of the right program, which can have flaws too. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Independent of each other; at least three. */
  readonly flaws: readonly Flaw[];
  /** Python at the verifier's top: what the checks share. */
  readonly common: string;
  /** Python: the body of the check `alone`, for plain use. */
  readonly alone: string;
  /** Further files of the working directory. */
  readonly app?: Readonly<Record<string, string>>;
  /** Shell: tries it. */
  readonly attempt: string;
}

export interface Flaw {
  readonly name: string;
  /** What holds whatever else happens. */
  readonly promise: string;
  /** What somebody has seen, as a sentence. */
  readonly told: string;
  /** Mended in one short step: what the easy level draws from. */
  readonly easy?: true;
  /** From the right program to one with the flaw, to one with a plausible half mend, and to one where only the look has changed. */
  readonly open: Pieces;
  readonly half: Pieces;
  readonly lazy: Pieces;
  /** From the right program to ones with further plausible mistakes, by name: wrong solutions wherever it is promised. */
  readonly others?: Readonly<Record<string, Pieces>>;
  /** Python: the body of its check. */
  readonly check: string;
}

type Files = Readonly<Record<string, string>>;

/** How a family speaks of its programs. */
export interface Words {
  /** After what the program is: that it works in plain use. */
  readonly plain: string;
  /** Instead of a told flaw, at the hard level. */
  readonly hidden: string;
  /** Before the promises. */
  readonly promised: string;
}

/** The files with these pieces replaced. Throws where a piece does not stand once in all of them. */
function edit(files: Files, pieces: Pieces): Files {
  return pieces.reduce((done, [right, instead]) => {
    const [place = ""] = Object.keys(done).filter((path) => done[path]?.includes(right));
    return { ...done, [place]: swap(done[place] ?? "", right, instead) };
  }, files);
}

/** One flaw that is told (easy), two of which one is told (medium), all and none told (hard). */
export function drawFlawedProgram(subjects: readonly ((d: Draw) => FlawedProgram)[], words: Words): Family["draw"] {
  return (d: Draw, level: Level): TaskDraft => {
    const { file, about, uses, source, beside = {}, flaws, common, alone, app = {}, attempt } = d.pick(subjects)(d);
    const whole: Files = { [file]: source, ...beside };
    const simple = flaws.filter(({ easy }) => easy);
    const planted = level === "easy" ? d.some(simple.length > 0 ? simple : flaws, 1) : d.some(flaws, level === "medium" ? 2 : flaws.length);
    const [told] = planted;
    const last = planted.at(-1);
    if (!told || !last) throw new Error(`${file} has no flaw.`);
    const promised = level === "easy" ? [told] : d.shuffled(flaws);
    const given = edit(whole, planted.flatMap(({ open }) => open)); // prettier-ignore
    const use = uses.map((line) => `- ${line}`).join("\n");
    const seen = {
      easy: told.told,
      medium: `${told.told} That is not all.`,
      hard: words.hidden,
    }[level];
    const program = (pieces: Pieces): string =>
      Object.entries(edit(whole, pieces))
        .map(([path, content]) => writeFile(path, content))
        .join("");
    const files = Object.keys(whole);
    const named = files.map((path) => `\`${path}\``).join(", ");
    const right = program([]);
    return {
      instruction: [
        `${about} ${words.plain} ${seen}`,
        `Repair ${files.length > 1 ? `what is wrong in ${named}` : named}. This is what it does, and goes on doing:`,
        use,
        words.promised,
        promised.map(({ promise }) => `- ${promise}`).join("\n"),
      ].join("\n\n"),
      ...(level === "easy" && { directions: directions(given, whole) }),
      app: { ...given, ...app },
      checks: { alone: use, ...Object.fromEntries(promised.map(({ name, promise }) => [name, promise])) },
      timeouts: { verifier: 300 },
      verify: text`
        ${common}


        @check("alone")
        def _():
            ${alone}


        ${promised
          .map(
            ({ name, check }) => text`
              @check("${name}")
              def _():
                  ${check}
            `,
          )
          .join("\n\n\n")}
      `,
      solve: right,
      wrong: {
        "mends-half": program(last.half),
        "changes-only-the-look": program(told.lazy),
        ...Object.fromEntries(
          promised.flatMap(({ others = {} }) => Object.entries(others).map(([name, pieces]) => [name, program(pieces)])),
        ),
        ...(level !== "easy" && { "mends-one-flaw": program(planted.slice(1).flatMap(({ open }) => open)) }),
      },
      plan: {
        steps: [
          { say: "I read the program.", calls: [bash(`cat ${files.join(" ")}`)], check: false },
          { say: "I see what can happen in between, and write it anew.", calls: [bash(right)], check: false },
          { say: "I try it.", calls: [bash(attempt)], check: true },
        ],
        answer: `\`${file}\` keeps its promises.`,
        slip: [{ say: "I mend it.", calls: [bash(program(last.half))], check: false }],
        claims: [file],
      },
    };
  };
}
