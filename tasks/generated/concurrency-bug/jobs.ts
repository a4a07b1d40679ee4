import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { FlawedProgram } from "../flawed-program.ts";

/** A shell script with background jobs: nobody waits, results in the order of finishing, a file shared by two runs, too many at once. */
export function jobs(d: Draw): FlawedProgram {
  const file = `${d.pick(["run", "batch", "all"])}_${d.pick(["jobs", "steps", "lines"])}.sh`;
  const failed = d.pick(["failed", "broken", "bad"]);
  const source = text`
    #!/bin/bash
    # Runs each line of FILE as a command, at most N at once.
    limit=$2
    results=$(mktemp -d)
    trap 'rm -rf "$results"' EXIT
    number=0
    while IFS= read -r command; do
      while (($(jobs -rp | wc -l) >= limit)); do
        wait -n
      done
      number=$((number + 1))
      {
        bash -c "$command" > "$results/$number.out" < /dev/null 2> /dev/null
        echo $? > "$results/$number.code"
      } &
    done < "$1"
    wait
    bad=0
    for ((i = 1; i <= number; i++)); do
      cat "$results/$i.out"
      [ "$(cat "$results/$i.code")" = 0 ] || bad=$((bad + 1))
    done
    echo "${failed} $bad"
    [ "$bad" -eq 0 ]
  `;
  const all = 'done < "$1"\nwait\n';
  const slots = "  while (($(jobs -rp | wc -l) >= limit)); do\n    wait -n\n  done\n";
  const folder = "results=$(mktemp -d)\ntrap 'rm -rf \"$results\"' EXIT\n";
  const output = 'bash -c "$command" > "$results/$number.out" < /dev/null';
  const collect = '  cat "$results/$i.out"\n';
  return {
    file,
    about: `\`${file}\` runs commands beside each other.`,
    uses: [
      `\`bash ${file} FILE N\` runs each line of a file as a command with \`bash -c\`, without input; it runs up to N of them at the same time, and prints nothing but what follows. Each line is a command, and the last one ends with a line break too.`,
      "It prints what each command prints to standard output; what they print to standard error is dropped.",
      `The last line is \`${failed}\` and the number of commands that ended with another exit code than 0. It ends with 0 when there is none, else with 1.`,
    ],
    source,
    flaws: [
      {
        name: "complete",
        easy: true,
        promise: "All commands have come to their end, and all that they print has been printed, when it ends.",
        told: "When commands take long, it does not wait for them.",
        open: [[all, 'done < "$1"\nsleep 0.2\n']],
        half: [[all, 'done < "$1"\nwait -n\n']],
        lazy: [[all, 'done < "$1"\nsleep 1\n']],
        check: text`
          for _ in range(2):
              texts = [str(rng.randint(10, 99)) for _ in range(4)]
              waits = rng.sample([0.1, 0.3, 1.4, 1.8], 4)
              same(run_lines([f"sleep {wait}; echo {text}" for wait, text in zip(waits, texts)], 4), (0, texts + ["${failed} 0"]), f"commands that take {waits} seconds")
        `,
      },
      {
        name: "order",
        promise:
          "What they print comes in the order of the lines, whichever command is first to end, and what two commands print never mixes.",
        told: "What the commands print comes in a different order each time.",
        open: [
          [output, 'bash -c "$command" >> "$results/all.out" < /dev/null'],
          [collect, ""],
          ["bad=0\n", 'bad=0\ncat "$results/all.out"\n'],
        ],
        half: [
          [
            output,
            'text=$(bash -c "$command" < /dev/null 2> /dev/null; code=$?; echo x; exit $code)\n    code=$?\n    echo "${text%x}" | head -c -1 >> "$results/all.out"\n    (exit $code)',
          ],
          [collect, ""],
          ["bad=0\n", 'bad=0\ncat "$results/all.out"\n'],
        ],
        lazy: [
          [output, 'bash -c "$command" >> "$results/all.out" < /dev/null'],
          [collect, ""],
          ["bad=0\n", 'bad=0\nsort "$results/all.out"\n'],
        ],
        others: {
          "puts-10-before-2": [["for ((i = 1; i <= number; i++)); do\n", `for i in $(ls "$results" | sed -n 's/[.]out$//p'); do\n`]],
        },
        check: text`
          many = rng.sample(range(100, 999), 13)
          same(run_lines([f"echo {number}" for number in many], 4), (0, [*map(str, many), "${failed} 0"]), "thirteen commands")
          for _ in range(2):
              names = rng.sample(["d", "a", "c", "b"], 4)
              waits = [0.9, 0.6, 0.3, 0]
              lines = [f"for i in 1 2 3; do echo {name} $i; sleep 0.05; done; sleep {wait}; echo {name} end" for name, wait in zip(names, waits)]
              wanted = [f"{name} {part}" for name in names for part in ("1", "2", "3", "end")]
              same(run_lines(lines, 4), (0, wanted + ["${failed} 0"]), "four commands of which the last ends first")
        `,
      },
      {
        name: "apart",
        promise: "Several runs at once in the same directory do not disturb each other.",
        told: "When it is started twice at the same time, the two runs mix up what they print.",
        open: [[folder, "results=.results\nrm -rf $results\nmkdir -p $results\n"]],
        half: [[folder, "results=.results\nmkdir -p $results\n"]],
        lazy: [[folder, "results=/tmp/${file}.$UID\nrm -rf $results\nmkdir -p $results\n".replace("${file}", file)]],
        check: text`
          for _ in range(2):
              place, first, second = copy_of_app(), rng.sample(range(100), 3), rng.sample(range(100, 200), 2)
              one = write("one.txt", "".join(f"sleep 1.2; echo {n}\n" for n in first))
              two = write("two.txt", "".join(f"sleep {wait}; echo {n}; false\n" for n, wait in zip(second, (0.1, 2))))
              script = f"bash ${file} {one} 3 > first.out & first=$!; sleep 0.3; bash ${file} {two} 3 > second.out; echo $?; wait $first; echo $?; cat first.out second.out"
              got = output(["bash", "-c", script], cwd=place, timeout=60).splitlines()
              same(got, ["1", "0", *map(str, first), "${failed} 0", *map(str, second), "${failed} 2"], "two runs at once: exit codes, and what they print")
        `,
      },
      {
        name: "limit",
        promise: "There are never more than N commands at the same time, and as long as there are lines left, never less.",
        told: "It starts all commands at once, whatever N is.",
        open: [[slots, ""]],
        half: [[slots, "  if (($(jobs -rp | wc -l) > limit)); then\n    wait -n\n  fi\n"]],
        lazy: [[slots, "  while (($(jobs -rp | wc -l) >= limit)); do\n    wait\n  done\n"]],
        check: text`
          limit = rng.choice([2, 3])
          folder = share(scratch())
          # Each command notes how many are running; it sees those that began before it and have not ended.
          lines = [f"touch {folder}/r{i}; ls {folder} | grep -c ^r; sleep {0.4 + 0.1 * (i % 3):.1f}; ls {folder} | grep -c ^r; rm {folder}/r{i}" for i in range(8)]
          code, printed = run_lines(lines, limit)
          counts = [int(line) for line in printed[:-1]]
          expect(code == 0 and len(counts) == 16, f"it printed {printed}")
          expect(max(counts) <= limit, f"{max(counts)} at once, with N = {limit}")
          # One that takes long must not keep the others waiting: they all begin while it runs.
          slow = f"for i in $(seq 150); do [ $(ls {folder} | grep -c ^s) -ge 4 ] && echo met && exit 0; sleep 0.1; done; exit 1"
          same(run_lines([slow] + [f"touch {folder}/s{i}" for i in range(5)], limit), (0, ["met", "${failed} 0"]), "one command that waits for four others, with N = " + str(limit))
        `,
      },
    ],
    common: text`
      def run_lines(lines, limit):
          """Its exit code, and the lines that it prints."""
          place = write("jobs.txt", "".join(line + "\n" for line in lines))
          code, out, _ = run(["bash", "${file}", place, str(limit)], cwd=copy_of_app(), timeout=60)
          return code, out.splitlines()
    `,
    alone: text`
      every = ["read", "say", "fail", "quiet", "error"]
      for kinds in [every, ["say", "read", "quiet"], rng.choices(every, k=rng.randint(1, 5))]:
          lines, wanted, bad = [], [], 0
          for kind in kinds:
              word = rng.choice(["one", "it's", "two  words", "$5", "*"])
              if kind == "say":
                  lines.append(f"printf '%s\\n' {quoted(word)}")
                  wanted.append(word)
              elif kind == "fail":
                  lines.append(f"printf '%s\\n' {quoted(word)}; exit {rng.randint(1, 5)}")
                  wanted.append(word)
                  bad += 1
              elif kind == "error":
                  lines.append(f"printf '%s\\n' {quoted(word)} >&2; false")
                  bad += 1
              else:
                  lines.append("true" if kind == "quiet" else "cat")
          same(run_lines(lines, 1), (1 if bad else 0, wanted + [f"${failed} {bad}"]), f"one after the other: {lines}")
    `.replace("every =", "from shlex import quote as quoted\n\nevery ="),
    app: { "jobs.txt": "sleep 0.5; echo one\necho two\nfalse\n" },
    attempt: `bash ${file} jobs.txt 2 || echo "it ended with $?"`,
  };
}
