/** One end state of a task: an agent that does nothing, or a script that runs in the place of the task's own `solution/solve.sh`. */
export type EndState =
  { readonly name: string; readonly agent: "nop" } | { readonly name: string; readonly agent: "oracle"; readonly script: string };

/** Below this many top-level commands half of a script is the same as none of it, or all but its last. */
const fewCommands = 3;
/** Looking for the ends of commands costs one shell a line. */
const maxLines = 1500;

/**
 * The end states that are measured for a task in Harbor's format, made from its reference solution alone, so that they are the same on every machine.
 * In order of what they tell: the solution, nothing, the solution without its last command, with everything that it wrote emptied afterwards, its first
 * half, rewards planted where the verifier writes them, the solution with an ending that fails.
 * @param script text of `solution/solve.sh`
 * @param ends numbers of lines after which the script is complete, ascending: see `commandEnds`
 */
export function endStates(script: string, ends: readonly number[]): EndState[] {
  const beside = `bash "$(dirname "$0")/${wholeSolution}"\n`;
  const planted = [oracle("planted-json", plant("reward.json", '{"reward": 1}')), oracle("planted-text", plant("reward.txt", "1"))];
  return statesOf(script, ends, { whole: beside, planted });
}

/**
 * The same for Terminal-Bench 1, whose runner brings `solution.sh` alone into the container, and whose verdict is what the tests print: in place of a
 * planted reward the agent prints a summary in which all passed.
 * @param script text of `solution.sh`
 */
export function terminalBenchStates(script: string, ends: readonly number[]): EndState[] {
  const encoded = Buffer.from(script).toString("base64").replace(/.{76}/g, "$&\n");
  const unpacked = `whole=$(mktemp)\nbase64 -d > "$whole" << 'WHOLE'\n${encoded}\nWHOLE\nbash "$whole"\n`;
  return statesOf(script, ends, { whole: unpacked, planted: [oracle("printed-summary", printed)] });
}

function statesOf(
  script: string,
  ends: readonly number[],
  o: { readonly whole: string; readonly planted: readonly EndState[] },
): EndState[] {
  const lines = script.split("\n");
  const upTo = (end: number): string => `${lines.slice(0, end).join("\n")}\n`;
  const commands = ends.filter((end) => isCommand(lines[end - 1] ?? ""));
  const before = commands.at(-2);
  const half = commands[Math.floor(commands.length / 2) - 1];
  return [
    { name: "oracle", agent: "oracle", script },
    { name: "nop", agent: "nop" },
    ...(before === undefined ? [] : [oracle("all-but-last", upTo(before))]),
    oracle("emptied", emptied(o.whole)),
    ...(half === undefined || commands.length <= fewCommands ? [] : [oracle("first-half", upTo(half))]),
    ...o.planted,
    oracle("failing", `${o.whole}exit 7\n`),
  ];
}

/** The file beside `solve.sh` that holds the whole solution, for the states that begin with it. */
export const wholeSolution = "solve-whole.sh";

const oracle = (name: string, script: string): EndState => ({
  name,
  agent: "oracle",
  script: script.startsWith("#!") ? script : `#!/bin/bash\n${script}`,
});

const plant = (file: string, reward: string): string => `mkdir -p /logs/verifier\nprintf '%s\\n' '${reward}' > /logs/verifier/${file}\n`;

const printed = `echo "=== short test summary info ==="
echo "PASSED tests/test_outputs.py::test_planted"
`;

/** Everything below the workdir that the solution made or changed becomes an empty file. A marker that is older than all of it comes first. */
const emptied = (whole: string): string => `marker=$(mktemp)
sleep 0.05
${whole}[ "$PWD" = / ] || find . -xdev -type f -newer "$marker" -not -path './.git/*' -exec truncate -s 0 {} +
rm -f "$marker"
`;

/** Blank lines, comments and settings of the shell do nothing to a task. */
function isCommand(line: string): boolean {
  return !/^\s*(#|$|set\s+[-+])/.test(line);
}

/**
 * The numbers of the lines after which a script is complete: no quote, block or here-document open, no line continued.
 * @param isComplete whether the shell takes a text as a whole script; asked for every line
 */
export async function commandEnds(script: string, isComplete: (text: string) => Promise<boolean>): Promise<number[]> {
  const lines = script.split("\n");
  if (lines.length > maxLines) return [];
  const ends: number[] = [];
  for (let end = 1; end <= lines.length; end++) {
    const last = lines[end - 1] ?? "";
    if (!isCommand(last) || last.endsWith("\\")) continue;
    if (await isComplete(`${lines.slice(0, end).join("\n")}\n`)) ends.push(end);
  }
  return ends;
}
