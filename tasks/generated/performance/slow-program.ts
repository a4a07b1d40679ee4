import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";

/** Pieces of a program, each of which stands in it once, and what stands there instead. */
export type Pieces = readonly (readonly [right: string, instead: string])[];

/** A Python program from standard input to standard output that can be slow in several ways. */
export interface SlowProgram {
  readonly file: string;
  /** What it reads and prints, each a sentence. */
  readonly promises: readonly string[];
  /** The fast program. */
  readonly source: string;
  /** Independent of each other; three. */
  readonly stages: readonly Stage[];
  /** Python: the body of a function that answers a small input with all traps in it. */
  readonly small: string;
  /** An input for trying it out. */
  readonly sample: string;
}

export interface Stage {
  readonly name: string;
  /** An input on which it counts, in the words of the instruction: `12,000 orders of …`. */
  readonly load: string;
  /** From the fast program to the slow one. */
  readonly slow: Pieces;
  /** From the fast program to one that is hardly faster than the slow one. */
  readonly hardly: Pieces;
  /** From the fast program to a fast one that prints something else now and then. */
  readonly hasty: Pieces;
  /** Python: the body of a function that answers such an input; the slow program takes more than 20 times as long on it as the fast one. */
  readonly input: string;
}

/** How many times less processor time is asked for; the right programs reach more than 20 times less. */
const factor = 5;

const edit = (program: string, pieces: Pieces): string => pieces.reduce((done, [right, instead]) => swap(done, right, instead), program);

/** One slow place (easy), two (medium), all (hard); measured beside the given program, in processor time, which a busy machine hardly changes. */
export function drawSlowProgram(subjects: readonly ((d: Draw) => SlowProgram)[]): Family["draw"] {
  return (d: Draw, level: Level): TaskDraft => {
    const { file, promises, source, stages, small, sample } = d.pick(subjects)(d);
    const planted = d.some(stages, { easy: 1, medium: 2, hard: stages.length }[level]);
    const [one] = planted;
    const last = planted.at(-1);
    if (!one || !last) throw new Error(`${file} has no slow place.`);
    const given = edit(source, planted.flatMap(({ slow }) => slow)); // prettier-ignore
    const right = writeFile(file, source);
    const program = (pieces: Pieces): string => writeFile(file, edit(source, pieces));
    const limits = planted.map(({ load }) => `- ${load}`).join("\n");
    const kept = d
      .shuffled(promises)
      .map((promise) => `- ${promise}`)
      .join("\n");
    const start = `python3 ${file}`;
    return {
      instruction: [
        `\`${file}\` is right, and too slow. Make it fast: on inputs of ${planted.length === 1 ? "this kind" : "each of these kinds"} it may take at most a fifth of the processor time that it takes now, in plain Python and in one process:`,
        limits,
        `What it prints must stay the same, for every input. Started as \`${start}\`, it reads standard input, and this is what it does:`,
        kept,
      ].join("\n\n"),
      ...(level === "easy" && { directions: directions({ [file]: given }, { [file]: source }) }),
      app: { [file]: given, "sample.in": sample },
      checks: { "same-output": kept, ...Object.fromEntries(planted.map(({ name, load }) => [name, load])) },
      tests: { [`reference/${file}`]: source, [`slow/${file}`]: `# As it was given.\n${given}` },
      timeouts: { verifier: 300 },
      verify: text`
        import math
        import resource


        def small():
            ${small}


        ${planted
          .map(
            ({ name, input }) => text`
              def load_${name}():
                  ${input}
            `,
          )
          .join("\n\n\n")}


        def spent():
            """Processor time of the programs that have ended, in seconds."""
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime


        def timed(folder, stdin, most="unlimited", trusted=False):
            """How the program ends, what it prints, and its processor time in seconds; at the second \`most\` it is ended."""
            before = spent()
            code, printed, _ = run(["sh", "-c", f"ulimit -t {most}; exec python3 ${file}"], cwd=folder, stdin=stdin, timeout=80, trusted=trusted)
            return code, printed, spent() - before


        def faster(load):
            stdin = load()
            for turn in range(3):
                # Both in each turn: what else the machine does slows both.
                ended, wanted, now = timed(os.path.join(tests, "slow"), stdin, trusted=True)
                expect(ended == 0, "the given program does not end well")
                code, got, taken = timed(copy_of_app(), stdin, most=math.ceil(now / ${factor}) + 1)
                if taken * ${factor} <= now:
                    expect(code == 0, f"it ends with {code} on a large input")
                    expect(got == wanted, "it prints something else on a large input")
                    return
            raise AssertionError(f"it takes {taken:.2f} s of processor time, the given program {now:.2f} s")


        @check("same-output")
        def _():
            mine, right = copy_of_app(), scratch()
            shutil.copytree(os.path.join(tests, "reference"), right, dirs_exist_ok=True)
            for _ in range(25):
                stdin = small()
                wanted = output(["python3", "${file}"], cwd=right, stdin=stdin, trusted=True)
                same(output(["python3", "${file}"], cwd=mine, stdin=stdin), wanted, f"for {stdin!r}")


        ${planted
          .map(
            ({ name }) => text`
              @check("${name}")
              def _():
                  faster(load_${name})
            `,
          )
          .join("\n\n\n")}
      `,
      solve: right,
      wrong: {
        "hardly-faster": program(last.hardly),
        "fast-and-wrong": program(one.hasty),
        ...(level !== "easy" && { "mends-one-place": program(planted.slice(1).flatMap(({ slow }) => slow)) }),
      },
      plan: {
        steps: [
          { say: "I read the program and run it on the example.", calls: [bash(`cat ${file}; ${start} < sample.in`)], check: false },
          {
            say: "I replace the slow places and keep what it prints.",
            calls: [bash(`${start} < sample.in > before.out\n${right}`)],
            check: false,
          },
          {
            say: "I compare with what it printed before.",
            calls: [bash(`${start} < sample.in | diff - before.out && rm before.out`)],
            check: true,
          },
        ],
        answer: `\`${file}\` is fast and prints what it printed before.`,
        slip: [{ say: "I make it faster.", calls: [bash(program(one.hasty))], check: false }],
        claims: [file],
      },
    };
  };
}
