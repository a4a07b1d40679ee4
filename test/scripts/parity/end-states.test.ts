import { describe, expect, it } from "vitest";
import { commandEnds, endStates, terminalBenchStates } from "../../../scripts/parity/end-states.ts";
import { isComplete } from "../../../scripts/parity/is-complete.ts";

const solution = `#!/bin/bash
set -e
# two files
cat > a.py <<'EOF'
print("one")

EOF
if true; then
  echo 1 > b.txt
fi
python3 a.py \\
  > c.txt
echo "it
ends" > d.txt
`;

describe("the end states of a task", () => {
  it("cut a script only where a command is whole: after here-documents, blocks, continued lines and quotes", async () => {
    expect(await commandEnds(solution, isComplete)).toEqual([7, 10, 12, 14]);
  });

  it("are the solution, nothing, two parts of it, its output emptied, a failing end and planted rewards", async () => {
    const states = endStates(solution, await commandEnds(solution, isComplete));
    expect(states.map(({ name }) => name)).toEqual([
      "oracle",
      "nop",
      "all-but-last",
      "emptied",
      "first-half",
      "planted-json",
      "planted-text",
      "failing",
    ]);
    const script = (name: string): string | undefined =>
      states.flatMap((one) => (one.name === name && one.agent === "oracle" ? [one.script] : []))[0];
    expect(script("oracle")).toBe(solution);
    expect(script("all-but-last")).toBe(solution.slice(0, solution.indexOf('echo "it')));
    expect(script("first-half")).toBe(solution.slice(0, solution.indexOf("python3")));
  });

  it("of Terminal-Bench 1 have a printed summary in the place of planted rewards", async () => {
    const states = terminalBenchStates(solution, await commandEnds(solution, isComplete)).map(({ name }) => name);
    expect(states).toEqual(["oracle", "nop", "all-but-last", "emptied", "first-half", "printed-summary", "failing"]);
  });

  it("of a solution of one command have no parts of it", async () => {
    const script = "#!/bin/sh\necho done > /app/out\n";
    const names = endStates(script, await commandEnds(script, isComplete)).map(({ name }) => name);
    expect(names).not.toContain("all-but-last");
    expect(names).not.toContain("first-half");
    expect(names.length).toBeGreaterThanOrEqual(5);
  });
});
