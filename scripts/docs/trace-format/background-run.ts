import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFixtureSandbox } from "../../../harness/fixtures/fixture-sandbox.ts";
import { createPolicy } from "../../../harness/policy/policy.ts";
import type { ExecResult, Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { createTools } from "../../../harness/tools/registry.ts";
import { pickTools } from "../../../harness/tools/tool-schemas.ts";
import { record } from "./example-runs.ts";

const calls = [
  { name: "bash", args: { command: "npm start", background: true } },
  { name: "bash_output", args: { id: "shell-1" } },
  { name: "kill_shell", args: { id: "shell-1" } },
];

/** The calls and results of a background command: the real tools, in a sandbox that answers as one with a server would. The same each time. */
export async function backgroundLines(): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), "forge-examples-"));
  try {
    const turns = calls.map((call) => ({ calls: [{ ...call, id: `call-${call.name}` }] }));
    const lines = await record(join(root, "run"), [...turns, { text: "It starts." }], { turns: 8 }, (clock) => {
      const sandbox = serverSandbox();
      const policy = createPolicy({ mode: "bypass", confined: true });
      const tools = createTools({
        tools: pickTools(calls.map(({ name }) => name)),
        sandbox,
        policy,
        user: { ask: async () => undefined },
        clock,
      });
      return { tools, sandbox };
    });
    return lines.filter((line) => /"t":"tool\.(call|result)"/.test(line.slice(0, 60)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Its background command prints a line and runs until it is asked to end. */
function serverSandbox(): Sandbox {
  let end: (result: ExecResult) => void = () => undefined;
  const fixture = createFixtureSandbox({
    exec(command) {
      if (command.startsWith("mkdir")) return "/tmp/.forge\n";
      if (command.startsWith("tail")) return "listening on port 8080\n";
      if (!command.includes("kill -TERM")) return "";
      end({ status: "exited", exitCode: 143, stdout: new Uint8Array(), stderr: new Uint8Array(), dropped: 0 });
      return "41 42\n";
    },
  });
  return {
    ...fixture,
    kind: "docker",
    exec: (command, o) => (command.startsWith("echo $$ >") ? new Promise((resolve) => (end = resolve)) : fixture.exec(command, o)),
  };
}
