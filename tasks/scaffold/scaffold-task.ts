import { stringify } from "yaml";
import { verifierFiles } from "../generated/render-task.ts";
import { hardenedTaskToml } from "./hardened-task-toml.ts";

/** The files of a small task that passes the gate as it is: something to change rather than something to fill in. */
export function scaffoldTask(): Record<string, string> {
  const verifier = verifierFiles({
    checks: {
      sums: "prints the sum of the whole numbers in the file it is given, one a line",
      "empty lines": "Empty lines count as nothing",
      "empty file": "an empty file gives `0`",
    },
    verify,
  });
  return {
    "task.toml": hardenedTaskToml({
      notes: [
        "family: tasks of one kind; results are given by family, and a family is in one split.",
        "local = true: may run without Docker. docs/tasks.md has all keys.",
      ],
      difficulty: "easy",
      tags: ["shell"],
      family: "my-tasks",
      split: "train",
      local: true,
    }),
    "instruction.md": instruction,
    "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\nCOPY app/ ./\n",
    "environment/app/numbers.txt": "12\n\n30\n-2\n",
    ...Object.fromEntries(Object.entries(verifier).map(([path, text]) => [`tests/${path}`, text])),
    "solution/solve.sh": `#!/bin/bash\n${asFile(right)}`,
    "solution/plan.yaml": stringify(plan, { lineWidth: 0 }),
    "solution/wrong/answers-the-example.sh": asFile("echo 40"),
    "solution/wrong/says-nothing-for-an-empty-file.sh": asFile(forgetful),
  };
}

const right = `awk '{ sum += $1 } END { print sum + 0 }' "$1"`;
const forgetful = `awk '{ sum += $1 } END { print sum }' "$1"`;
const asFile = (script: string): string => `cat > sum.sh <<'END'\n${script}\nEND\n`;

const instruction = `Write \`sum.sh\`, a shell script that prints the sum of the whole numbers in the file it is given, one a line:

    sh sum.sh numbers.txt

Empty lines count as nothing, and an empty file gives \`0\`. Numbers may be negative.
`;

/** Inputs are drawn when the verifier runs, so that nobody can have prepared for them. */
const verify = `
def total(lines):
    """What the script says of a file with these lines."""
    path = write("drawn.txt", "".join(f"{line}\\n" for line in lines))
    os.chmod(os.path.dirname(path), 0o755)
    return output(["sh", "sum.sh", path]).strip()


def drawn():
    return [rng.randint(-500, 500) for _ in range(rng.randint(3, 20))]


@check("sums")
def sums():
    for _ in range(3):
        numbers = drawn()
        same(total(numbers), str(sum(numbers)), "the sum")


@check("empty lines")
def empty_lines():
    numbers = drawn()
    same(total(["", *numbers[:2], "", *numbers[2:], ""]), str(sum(numbers)), "the sum with empty lines")


@check("empty file")
def empty_file():
    same(total([]), "0", "the sum of an empty file")
`;

const plan = {
  steps: [
    {
      say: "I look at the example.",
      calls: [{ tool: "bash", args: { command: "cat numbers.txt" } }],
    },
    { say: "I write the script.", calls: [{ tool: "bash", args: { command: asFile(right) } }] },
    {
      say: "I run it on the example and on nothing.",
      check: true,
      calls: [{ tool: "bash", args: { command: '[ "$(sh sum.sh numbers.txt)" = 40 ] && [ "$(sh sum.sh /dev/null)" = 0 ]' } }],
    },
  ],
  answer: "`sum.sh` prints the sum of the numbers in a file, 0 for an empty one.",
  slip: [{ say: "I write the script.", calls: [{ tool: "bash", args: { command: asFile(forgetful) } }] }],
  claims: ["sum.sh"],
};
