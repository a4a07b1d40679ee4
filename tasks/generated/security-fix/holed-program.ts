import { directions } from "../directions.ts";
import type { Draw } from "../draw.ts";
import type { Family, Level, TaskDraft } from "../family.ts";
import { bash } from "../plan-parts.ts";
import { swap } from "../swap.ts";
import { text, writeFile } from "../text.ts";

/** Pieces of a program and what stands in their places instead; each piece stands in it once. */
export type Edits = readonly (readonly [right: string, instead: string])[];

/** A program that answers requests, one a line, fields separated by tabs; and ways in which strangers could misuse it. */
export interface HoledProgram {
  readonly file: string;
  /** What it is, and how it is started: `python3 FILE …` reads requests from standard input. */
  readonly about: string;
  readonly start: string;
  /** What each request does for honest users; what is behind a hole is told by that hole's promise. */
  readonly requests: readonly string[];
  /** The right program. */
  readonly source: string;
  /** Independent of each other; four of them. */
  readonly holes: readonly Hole[];
  /** Python: the body of `world(folder)`, which puts what the program works on into a folder; `put(path, content)` writes a file. Names must not be those of the program. */
  readonly world: string;
  /** Python: the body of `honest()`, which answers a list of requests, each a list of fields; `WORLD` is what `world` answered. */
  readonly honest: string;
  /** Files of the working directory beside the program, for trying it out. */
  readonly sample: Readonly<Record<string, string>>;
  /** Files that trying it leaves behind and that it reads again. */
  readonly leaves?: readonly string[];
}

export interface Hole {
  readonly name: string;
  /** What must hold for all requests; the verifier attacks it. */
  readonly promise: string;
  /** What an attacker can do, as a sentence; `example` shows it. */
  readonly told: string;
  readonly example: string;
  /** From the right program to one with the hole. */
  readonly open: Edits;
  /** From the right program to one with a plausible mend that an attack still passes. */
  readonly half: Edits;
  /** From the right program to one that is closed, and of no use to honest people. */
  readonly blunt: Edits;
  /** Python: the body of a function that answers a list of requests. */
  readonly attack: string;
}

const edit = (program: string, edits: Edits): string => edits.reduce((done, [right, instead]) => swap(done, right, instead), program);

/** One hole that is told (easy), two of which one is told (medium), all of them with no word about where (hard). */
export function drawHoledProgram(subjects: readonly ((d: Draw) => HoledProgram)[]): Family["draw"] {
  return (d: Draw, level: Level): TaskDraft => {
    const { file, about, start, requests, source, holes, world, honest, sample, leaves = [] } = d.pick(subjects)(d);
    const open = { easy: () => d.some(holes, 1), medium: () => d.some(holes, 2), hard: () => [...holes] }[level]();
    const [told] = open;
    const last = open.at(-1);
    if (!told || !last) throw new Error(`${file} has no hole.`);
    const given = edit(source, open.flatMap((hole) => hole.open)); // prettier-ignore
    const example = `${told.example}\n`;
    const right = writeFile(file, source);
    const mended = (mend: Edits): string => writeFile(file, edit(source, mend));
    const use = requests.map((line) => `- ${line}`).join("\n");
    const promised = level === "easy" ? [told] : holes;
    const promises = d
      .shuffled(promised)
      .map(({ promise }) => `- ${promise}`)
      .join("\n");
    const closing = "Apart from what a request asks for, nothing may be read, written or started.";
    return {
      instruction: [
        `${about} The requests come from strangers, and it is not safe: ${
          level === "hard" ? "a review found several holes, but its notes are lost." : `${told.told} \`attack.txt\` shows it.`
        }${level === "medium" ? " There is at least one more hole." : ""}`,
        `Repair \`${file}\` so that nobody can misuse it, and honest users notice nothing. It is started as \`${start}\` and answers each request by some lines and then a line with a full stop. These are the requests, whose fields are separated by a tab; fields may hold any other character except line breaks:`,
        use,
        "And this must hold, whatever stands in a request:",
        promises,
        closing,
      ].join("\n\n"),
      ...(level === "easy" && { directions: directions({ [file]: given }, { [file]: source }) }),
      app: { [file]: given, ...sample, ...(level !== "hard" && { "attack.txt": example }) },
      checks: { honest: use, ...Object.fromEntries(promised.map(({ name, promise }) => [name, promise])) },
      tests: { [`reference/${file}`]: source },
      verify: text`
        def world(folder):
            def put(path, content):
                write(path, content, folder)

            ${world}


        def honest():
            ${honest}


        ${promised
          .map(
            ({ name, attack }) => text`
              def attack_${name.replaceAll("-", "_")}():
                  ${attack}
            `,
          )
          .join("\n\n")}


        def remove(place):
            if os.path.isdir(place) and not os.path.islink(place):
                shutil.rmtree(place)
            else:
                os.remove(place)


        def contents(folder):
            """Every file below a folder, except databases, which hold the same in more than one way."""
            found = {}
            for parent, _, names in os.walk(folder):
                for name in names:
                    place = os.path.join(parent, name)
                    if ".db" not in name:
                        found[os.path.relpath(place, folder)] = os.readlink(place) if os.path.islink(place) else open(place, "rb").read()
            return found


        def session(place, requests, trusted):
            """What the program answers, and what it changes."""
            before = contents(place)
            stdin = "".join("\t".join(request) + "\n" for request in requests)
            answers = output(["sh", "-c", ${JSON.stringify(start)}], cwd=place, stdin=stdin, trusted=trusted)
            after = contents(place)
            return answers.splitlines(), {path: after.get(path) for path in {*before, *after} if before.get(path) != after.get(path)}


        def compare(attack=None):
            global WORLD
            mine, right = copy_of_app(), scratch()
            for name in ${JSON.stringify([...Object.keys(sample), ...leaves])}:
                if os.path.lexists(os.path.join(mine, name)):
                    remove(os.path.join(mine, name))
            shutil.copytree(os.path.join(tests, "reference"), right, dirs_exist_ok=True)
            stuff = os.path.join(scratch(), "world")
            os.mkdir(stuff)
            WORLD = world(stuff)
            for folder in (mine, right):
                for name in os.listdir(stuff):
                    there = os.path.join(folder, name)
                    if os.path.lexists(there):
                        remove(there)
                shutil.copytree(stuff, folder, symlinks=True, dirs_exist_ok=True)
            share(mine)
            requests = honest()
            if attack:
                requests += attack()
                rng.shuffle(requests)
            # The second time it finds what the first has left, in databases too.
            for requests in (requests, honest()):
                wanted, changes = session(right, requests, True)
                got, changed = session(mine, requests, False)
                same(got, wanted, f"answers to {requests}")
                same(changed, changes, f"what {requests} changed")


        @check("honest")
        def _():
            for _ in range(4):
                compare()


        ${promised
          .map(
            ({ name }) => text`
              @check("${name}")
              def _():
                  for _ in range(2):
                      compare(attack_${name.replaceAll("-", "_")})
            `,
          )
          .join("\n\n\n")}
      `,
      solve: right,
      wrong: {
        "mends-half": mended(last.half),
        "refuses-honest-use": mended(told.blunt),
        ...(level !== "easy" && { "mends-one-hole": mended(open.slice(1).flatMap((hole) => hole.open)) }), // prettier-ignore
      },
      plan: {
        steps: [
          { say: "I read the program.", calls: [bash(`ls -la; cat ${file}`)], check: false },
          { say: "I see how it is misused, and close it without changing what honest users get.", calls: [bash(right)], check: false },
          {
            say: "I try it with the attack.",
            calls: [bash(level === "hard" ? `${start} < /dev/null` : `${start} < attack.txt`)],
            check: true,
          },
        ],
        answer: `\`${file}\` is closed against misuse and does what it did for honest users.`,
        slip: [{ say: "I close the hole.", calls: [bash(mended(last.half))], check: false }],
        claims: [file],
      },
    };
  };
}
