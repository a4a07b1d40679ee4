import { bash } from "./plan-parts.ts";
import { directions } from "./directions.ts";
import type { Draw } from "./draw.ts";
import type { Family, Level, TaskDraft } from "./family.ts";
import { swap } from "./swap.ts";
import { text, writeFile } from "./text.ts";
import { teams } from "./words.ts";

/** A small program from standard input to standard output, and ways in which it can be broken. */
export interface Subject {
  /** Names its file may have, without the ending. */
  readonly names: readonly string[];
  /** All that the program promises, each a sentence, in the order in which they are to be read; the verifier holds it to nothing else. */
  readonly promises: readonly string[];
  /** The right program. */
  readonly source: string;
  /** Independent of each other and of `deeper`: any of them may be planted beside any other. At least three. */
  readonly bugs: readonly Bug[];
  /** Bugs that plain use does not show, for the hard level, where they are not told. At least two. */
  readonly deeper: readonly Planted[];
  /** Mends that fall short of a promise, by name: pieces of the right program and what stands there instead. At least one. */
  readonly short: Readonly<Record<string, readonly Swap[]>>;
  /** Python: the body of a function that answers inputs, as a list of texts, on which every promise shows, its limits too; `rng` is there. */
  readonly edges: string;
  /** Python: the body of a function that answers a drawn input as text; `rng` is there. */
  readonly input: string;
}

export type Swap = readonly [right: string, wrong: string];

export interface Planted {
  /** Occurs once in the source. */
  readonly right: string;
  readonly wrong: string;
  /** An input on which it shows. */
  readonly input: string;
}

export interface Bug extends Planted {
  /** What a user sees, as a sentence for the instruction. */
  readonly symptom: string;
}

export interface Language {
  /** In a sentence: `Python`. */
  readonly name: string;
  readonly extension: string;
  readonly subjects: readonly Subject[];
  /** Longer programs, for the hard level beside the others. */
  readonly longer?: readonly Subject[];
  /** A shell command, in the working directory, that makes what `run` starts out of `file`. */
  build?(file: string): string;
  /** How to start it from the working directory, as a shell command. */
  run(file: string): string;
}

/** What a user types to start `file`. */
const startOf = ({ build, run }: Language, file: string): string => [...(build ? [build(file)] : []), run(file)].join(" && ");

/**
 * Programs with planted bugs: one whose symptom is told (easy), two of which one only shows in an example (medium), four of which three show nowhere
 * but in what the program promises, two of them at its limits (hard). The verifier runs the answer beside the right program, on inputs that are at
 * every limit and on such as are drawn at verification.
 */
export function drawPlantedBug(language: Language): Family["draw"] {
  const { name, extension, subjects, longer = [] } = language;
  return (d: Draw, level: Level): TaskDraft => {
    const subject = d.pick(level === "hard" ? [...subjects, ...longer] : subjects);
    const file = `${d.pick(subject.names)}${d.pick(["", "2", `_${d.pick(teams)}`])}.${extension}`;
    const [told, second, spare] = d.some(subject.bugs, 3);
    if (!told || !second || !spare) throw new Error(`${subject.names[0]} has too few bugs.`);
    const planted = { easy: () => [told], medium: () => [told, second], hard: () => [told, second, ...d.some(subject.deeper, 2)] }[level]();
    const broken = plant(subject.source, planted);
    const path = "examples/1.in";
    const example = "`examples/` has an input on which it goes wrong.";
    const start = startOf(language, file);
    const right = writeFile(file, subject.source);
    const promises = subject.promises.map((promise) => `- ${promise}`).join("\n");
    const hidden = [...subject.bugs, ...subject.deeper].filter((bug) => bug !== told); // those that were not planted too: a mend can make them
    const [short] = d.some(Object.keys(subject.short), 1);
    return {
      instruction: text`
        ${[`The ${name} program \`${file}\` is broken: ${told.symptom} ${example}`, ...(level === "easy" ? [] : [level === "hard" ? "That is not all that is wrong with it." : "That may not be all that is wrong with it."])].join("\n")}

        Repair \`${file}\`. Started as \`${start}\`, it reads standard input and keeps all of these promises:

        ${promises}
      `,
      ...(level === "easy" && { directions: directions({ [file]: broken }, { [file]: subject.source }) }),
      app: { [file]: broken, [path]: told.input.endsWith("\n") ? told.input : `${told.input}\n` },
      given: [path],
      checks: {
        examples: example,
        promises: `it reads standard input and keeps all of these promises:\n\n${promises}`,
      },
      tests: {
        [`reference/${file}`]: subject.source,
        "hidden.json": JSON.stringify(hidden.map(({ input }) => input)),
      },
      verify: text`
        def edges():
            ${subject.edges}


        def drawn():
            ${subject.input}


        def compare(inputs):
            work = copy_of_app()
            ${compareBody(language, file)}


        right = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, right, ignore_errors=True)
        shutil.copytree(os.path.join(tests, "reference"), right, dirs_exist_ok=True)


        @check("examples")
        def _():
            compare([read("${path}", os.path.join(tests, "given"))])


        @check("promises")
        def _():
            with open(os.path.join(tests, "hidden.json"), encoding="utf-8") as file:
                hidden = json.load(file)
            compare(hidden + edges() + [drawn() for _ in range(12)])
      `,
      solve: right,
      wrong: {
        "mends-one-breaks-another": writeFile(file, plant(subject.source, [spare])),
        ...(short !== undefined && { [short]: writeFile(file, swapAll(subject.source, subject.short[short] ?? [])) }),
        ...(level !== "easy" && { "mends-only-what-was-told": writeFile(file, plant(subject.source, planted.slice(1))) }),
        ...(level === "hard" && { "mends-what-plain-use-shows": writeFile(file, plant(subject.source, planted.slice(2))) }),
      },
      plan: {
        steps: [
          { say: "I read the program and run the example.", calls: [bash(`cat ${file}; ${start} < ${path}`)], check: false },
          { say: "I see what is wrong and write it anew.", calls: [bash(right)], check: false },
          { say: "I run the example again.", calls: [bash(`${start} < ${path}`)], check: true },
        ],
        answer: `\`${file}\` keeps its promises again; the example comes out right.`,
        slip: [{ say: "I mend it.", calls: [bash(writeFile(file, plant(subject.source, [spare])))], check: false }],
        claims: [file],
      },
    };
  };
}

/** A program that must be compiled is compiled once for all inputs. */
const compareBody = ({ build, run }: Language, file: string): string =>
  text`
    ${build ? `for folder, ours in [(right, True), (work, False)]:\n    output(["sh", "-c", "${build(file)}"], cwd=folder, trusted=ours)\nfor` : "for"} stdin in inputs:
        wanted = output(["sh", "-c", "${run(file)}"], cwd=right, stdin=stdin, trusted=True)
        same(output(["sh", "-c", "${run(file)}"], cwd=work, stdin=stdin), wanted, f"for {stdin!r}"[:400])
  `;

const swapAll = (program: string, pairs: readonly Swap[]): string =>
  pairs.reduce((all, [right, wrong]) => swap(all, right, wrong), program);

/** The program with these bugs in it. Throws when a bug's place does not stand in it once. */
export const plant = (source: string, bugs: readonly Planted[]): string =>
  swapAll(
    source,
    bugs.map(({ right, wrong }): Swap => [right, wrong]),
  );
