import { bash } from "./plan-parts.ts";
import { directions } from "./directions.ts";
import type { Draw } from "./draw.ts";
import type { Family, Level, TaskDraft } from "./family.ts";
import { text, writeFile } from "./text.ts";
import { teams } from "./words.ts";

/** A small program from standard input to standard output, and ways in which it can be broken. */
export interface Subject {
  /** Names its file may have, without the ending. */
  readonly names: readonly string[];
  /** All that the program promises, each a sentence; the verifier holds it to nothing else. */
  readonly promises: readonly string[];
  /** The right program. */
  readonly source: string;
  /** Independent of each other: any of them may be planted beside any other. At least three. */
  readonly bugs: readonly Bug[];
  /** Python: the body of a function that answers a drawn input as text; `rng` is there. */
  readonly input: string;
}

export interface Bug {
  /** Occurs once in the source. */
  readonly right: string;
  readonly wrong: string;
  /** What a user sees, as a sentence for the instruction. */
  readonly symptom: string;
  /** An input on which it shows. */
  readonly input: string;
}

export interface Language {
  /** In a sentence: `Python`. */
  readonly name: string;
  readonly extension: string;
  readonly subjects: readonly Subject[];
  /** How to start `file` from the working directory, as a shell command; it may compile first. */
  start(file: string): string;
}

/**
 * Programs with planted bugs: one whose symptom is told (easy), two of which one only shows in an example (medium), three of which one shows nowhere
 * but in what the program promises (hard). The verifier runs the answer beside the right program on inputs drawn at verification.
 */
export function drawPlantedBug({ name, extension, subjects, start }: Language): Family["draw"] {
  return (d: Draw, level: Level): TaskDraft => {
    const subject = d.pick(subjects);
    const file = `${d.pick(subject.names)}${d.pick(["", "2", `_${d.pick(teams)}`])}.${extension}`;
    const count = { easy: 1, medium: 2, hard: 3 }[level];
    const planted = d.some(subject.bugs, count);
    const [told] = planted;
    const shown = planted.slice(0, Math.max(1, count - 1));
    const spare = subject.bugs.find((bug) => !planted.includes(bug)) ?? planted.at(-1);
    if (!told || !spare) throw new Error(`${subject.names[0]} has fewer than ${count} bugs.`);
    const broken = plant(subject.source, planted);
    const examples = Object.fromEntries(shown.map(({ input }, i) => [`examples/${i + 1}.in`, input.endsWith("\n") ? input : `${input}\n`]));
    const example = `\`examples/\` has ${shown.length === 1 ? "an input on which it goes wrong" : "inputs on which it goes wrong"}.`;
    const run = start(file);
    const right = writeFile(file, subject.source);
    const promises = d
      .shuffled(subject.promises)
      .map((promise) => `- ${promise}`)
      .join("\n");
    return {
      instruction: text`
        ${[`The ${name} program \`${file}\` is broken: ${told.symptom} ${example}`, ...(count > 1 ? ["That may not be all that is wrong with it."] : [])].join("\n")}

        Repair \`${file}\`. Started as \`${run}\`, it reads standard input and keeps all of these promises:

        ${promises}
      `,
      ...(level === "easy" && { directions: directions({ [file]: broken }, { [file]: subject.source }) }),
      app: { [file]: broken, ...examples },
      given: Object.keys(examples),
      checks: {
        examples: example,
        promises: `it reads standard input and keeps all of these promises:\n\n${promises}`,
      },
      tests: {
        [`reference/${file}`]: subject.source,
        // Those that were not planted too: a mend can make them.
        ...Object.fromEntries(subject.bugs.filter((bug) => !shown.includes(bug)).map(({ input }, i) => [`hidden/${i + 1}.in`, input])),
      },
      verify: text`
        import glob


        def texts(pattern):
            """The inputs that are kept with the tests."""
            return [open(place, encoding="utf-8").read() for place in sorted(glob.glob(os.path.join(tests, pattern)))]


        def drawn():
            ${subject.input}


        def compare(inputs):
            for stdin in inputs:
                wanted = output(["sh", "-c", "${run}"], cwd=right, stdin=stdin, trusted=True)
                same(output(["sh", "-c", "${run}"], cwd=work, stdin=stdin), wanted, f"for {stdin!r}")


        work = copy_of_app()
        right = tempfile.mkdtemp()
        shutil.copytree(os.path.join(tests, "reference"), right, dirs_exist_ok=True)


        @check("examples")
        def _():
            compare(texts("given/examples/*"))


        @check("promises")
        def _():
            compare(texts("hidden/*") + [drawn() for _ in range(25)])
      `,
      solve: right,
      wrong: {
        "removes-the-examples": "rm -r examples\n",
        "mends-one-breaks-another": writeFile(file, plant(subject.source, [spare])),
        ...(count > 1 && { "mends-only-what-was-told": writeFile(file, plant(subject.source, planted.slice(1))) }),
      },
      plan: {
        steps: [
          { say: "I read the program and run the example.", calls: [bash(`cat ${file}; ${run} < examples/1.in`)], check: false },
          { say: "I see what is wrong and write it anew.", calls: [bash(right)], check: false },
          { say: "I run the examples again.", calls: [bash(`for i in examples/*.in; do ${run} < "$i"; done`)], check: true },
        ],
        answer: `\`${file}\` keeps its promises again; the examples come out right.`,
        slip: [{ say: "I mend it.", calls: [bash(writeFile(file, plant(subject.source, [spare])))], check: false }],
        claims: [file],
      },
    };
  };
}

/** The program with these bugs in it. Throws when a bug's place does not stand in it once. */
export function plant(source: string, bugs: readonly Bug[]): string {
  return bugs.reduce((program, { right, wrong }) => {
    if (program.split(right).length !== 2) throw new Error(`"${right}" does not stand once in the program.`);
    return program.replace(right, () => wrong);
  }, source);
}
