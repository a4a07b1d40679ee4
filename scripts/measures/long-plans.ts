import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { draw } from "../../harness/models/simulated/draw.ts";

/** Tasks of one simple kind whose plans have many working steps, so that a fault before one of them may be anywhere in a run of ten turns or more. */
export function writeLongPlans(folder: string, tasks: number, seed: number): void {
  for (let n = 0; n < tasks; n++) {
    const name = `parts-${String(n + 1).padStart(2, "0")}`;
    const count = 14 + Math.floor(draw("long plans", seed, name, "steps") * 9);
    const parts = Array.from({ length: count }, (_, i) => ({
      file: `part-${i + 1}.txt`,
      line: String(Math.floor(draw(seed, name, i) * 9000) + 1000),
    }));
    const claimed = parts[Math.floor(draw(seed, name, "claimed") * count)]?.file ?? "part-1.txt";
    const astray = Math.floor(draw(seed, name, "astray") * count);
    const write = (value: (i: number) => string) =>
      parts.map(({ file }, i) => ({
        say: `${file} is next.`,
        calls: [{ tool: "bash", args: { command: `printf '%s\\n' ${value(i)} > ${file}` } }],
      }));
    const right = (i: number): string => parts[i]?.line ?? "";
    const wants = parts.map(({ file, line }) => `test "$(cat ${file})" = ${line}`).join(" &&\n");
    const files: Readonly<Record<string, string>> = {
      "task.toml": taskToml,
      "instruction.md": `Each line of \`list.csv\` has the name of a file and a number. Write each number into its file in the current folder.\n\n\`sh check.sh\` must print ok.\n`,
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\nCOPY app/ ./\n",
      "environment/app/list.csv": parts.map(({ file, line }) => `${file},${line}\n`).join(""),
      "environment/app/check.sh": `${wants} &&\necho ok\n`,
      "tests/test.sh": `#!/bin/bash\nlogs="\${FORGE_LOGS:-/logs}/verifier"\nmkdir -p "$logs"\ncd "\${FORGE_WORKDIR:-/app}"\nreward=0\n${wants} && reward=1\necho "$reward" > "$logs/reward.txt"\n`,
      "solution/plan.yaml": stringify({
        steps: [...write(right), { say: "I check all of it.", check: true, calls: [{ tool: "bash", args: { command: "sh check.sh" } }] }],
        answer: "Each number is in its file.",
        slip: write((i) => (i === astray ? "0" : right(i))),
        claims: [claimed],
      }),
      "solution/solve.sh": `${parts.map(({ file, line }) => `echo ${line} > ${file}`).join("\n")}\n`,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, path, ".."), { recursive: true });
      writeFileSync(join(folder, name, path), text);
    }
  }
}

const taskToml = `version = "1.0"

[metadata]
author_name = "Forge"
difficulty = "easy"
category = "data"

[metadata.forge]
family = "parts"
local = true

[verifier]
timeout_sec = 120.0

[agent]
timeout_sec = 600.0

[environment]
cpus = 1
memory_mb = 1024
allow_internet = false
`;

const [folder, tasks = "21", seed = "1"] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: jiti scripts/measures/long-plans.ts FOLDER [TASKS] [SEED]");
writeLongPlans(folder, Number(tasks), Number(seed));
