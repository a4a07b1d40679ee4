import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const tomlOf = (agentSeconds: number | undefined): string => `version = "1.0"
[metadata]
difficulty = "easy"
[metadata.forge]
family = "campaign"
split = "train"
local = true
${agentSeconds === undefined ? "" : `[agent]\ntimeout_sec = ${agentSeconds.toFixed(1)}\n`}[environment]
allow_internet = false
`;
const check = `logs="\${FORGE_LOGS:-/logs}/verifier"
if grep -q done "\${FORGE_WORKDIR:-/app}/out.txt"; then echo 1; else echo 0; fi > "$logs/reward.txt"
`;

/** Writes one task a name, each passed by "done" in out.txt. `solutions`: what the oracle does. `agentSeconds`: each one's time limit. */
export function writeSuite(folder: string, solutions: Readonly<Record<string, string>>, o: { readonly agentSeconds?: number } = {}): void {
  for (const [name, solve] of Object.entries(solutions)) {
    const files = {
      "task.toml": tomlOf(o.agentSeconds),
      "instruction.md": "Write done to out.txt.\n",
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
      "solution/solve.sh": `${solve}\n`,
      "tests/test.sh": check,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name, path)), { recursive: true });
      writeFileSync(join(folder, name, path), text);
    }
  }
}
