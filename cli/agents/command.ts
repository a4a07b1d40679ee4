import type { Command } from "commander";
import { checkOptions, listOptions, type CheckFlags, type ListFlags } from "./options.ts";
import { withHelp } from "../shared/command-help.ts";
import { withOptions } from "../shared/option-table.ts";

export function registerAgents(program: Command): void {
  const agents = program
    .command("agents")
    .summary("other agents as arms of a bench")
    .description("Other coding agents, which forge bench --agent measures like Forge's own.");
  withHelp(agents, { examples: [["forge agents list"], ["forge agents check claude-code"]] });
  const list = agents
    .command("list")
    .description("the agents that Forge can install and start, with the version that was tried")
    .action(async (flags: ListFlags) => {
      const { listAgents } = await import("./list-agents.ts");
      process.exitCode = await listAgents(flags);
    });
  withHelp(withOptions(list, listOptions), { examples: [["forge agents list"]] });
  const check = agents
    .command("check")
    .description("install an agent and run it on a task with the simulated model: its trace, its replay, its limits")
    .argument("<agent>", "a name of the list, name@version, or a configuration with agent:")
    .action(async (agent: string, flags: CheckFlags) => {
      const { checkAgent } = await import("./check-agent.ts");
      process.exitCode = await checkAgent(agent, flags);
    });
  withHelp(withOptions(check, checkOptions), {
    details:
      "Nothing is paid. The package is installed once a version, into a folder of your cache that containers see read-only. The two trials are kept, so that you can look at them.",
    examples: [["forge agents check codex"], ["forge agents check mine.yaml"]],
    exitCodes: "0 all holds · 1 something does not · 2 no such agent · 3 it cannot be installed or run here",
  });
}
