import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";

/** Pieces of a program, each of which stands in it once, and what stands there instead. */
export type Pieces = readonly (readonly [right: string, instead: string])[];

/** A program that several threads or processes use at once, and ways in which they can get in each other's way. */
export interface RacyProgram {
  readonly file: string;
  /** What it is and how it is used, each a sentence. */
  readonly about: string;
  readonly uses: readonly string[];
  /** The right program. */
  readonly source: string;
  /** Independent of each other; at least three. */
  readonly flaws: readonly Flaw[];
  /** Python at the verifier's top: what the checks share. */
  readonly common: string;
  /** Python: the body of the check that nothing happens at once. */
  readonly alone: string;
  /** Further files of the working directory. */
  readonly app?: Readonly<Record<string, string>>;
  /** Shell: tries it. */
  readonly attempt: string;
}

export interface Flaw {
  readonly name: string;
  /** What holds however many use it at once. */
  readonly promise: string;
  /** What somebody has seen, as a sentence. */
  readonly told: string;
  /** From the right program to one with the flaw, to one with a plausible half mend, and to one where only the look has changed. */
  readonly open: Pieces;
  readonly half: Pieces;
  readonly lazy: Pieces;
  /** Python: the body of its check. */
  readonly check: string;
}

const edit = (program: string, pieces: Pieces): string => pieces.reduce((done, [right, instead]) => swap(done, right, instead), program);

/** One flaw that is told (easy), two of which one is told (medium), all and none told (hard). */
export function drawRacyProgram(subjects: readonly ((d: Draw) => RacyProgram)[]): Family["draw"] {
  return (d: Draw, level: Level): TaskDraft => {
    const { file, about, uses, source, flaws, common, alone, app = {}, attempt } = d.pick(subjects)(d);
    const planted = d.some(flaws, { easy: 1, medium: 2, hard: flaws.length }[level]);
    const [told] = planted;
    const last = planted.at(-1);
    if (!told || !last) throw new Error(`${file} has no flaw.`);
    const promised = level === "easy" ? [told] : d.shuffled(flaws);
    const given = edit(source, planted.flatMap(({ open }) => open)); // prettier-ignore
    const use = uses.map((line) => `- ${line}`).join("\n");
    const seen = {
      easy: told.told,
      medium: `${told.told} That is not all.`,
      hard: "Now and then something goes wrong, and nobody could find out when.",
    }[level];
    const program = (pieces: Pieces): string => writeFile(file, edit(source, pieces));
    const right = program([]);
    return {
      instruction: [
        `${about} It works as long as nothing happens at once. ${seen}`,
        `Repair \`${file}\`. This is what it does, and goes on doing:`,
        use,
        "However the scheduler decides, this must hold too:",
        promised.map(({ promise }) => `- ${promise}`).join("\n"),
      ].join("\n\n"),
      app: { [file]: given, ...app },
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
        ...(level !== "easy" && { "mends-one-flaw": program(planted.slice(1).flatMap(({ open }) => open)) }),
      },
      plan: {
        steps: [
          { say: "I read the program.", calls: [bash(`cat ${file}`)], check: false },
          { say: "I see what can happen in between, and write it anew.", calls: [bash(right)], check: false },
          { say: "I try it.", calls: [bash(attempt)], check: true },
        ],
        answer: `\`${file}\` keeps its promises, whoever is first.`,
        slip: [{ say: "I mend it.", calls: [bash(program(last.half))], check: false }],
        claims: [file],
      },
    };
  };
}
