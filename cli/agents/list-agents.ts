import { agentAdapters } from "../../evals/agents/find-adapter.ts";
import { installedLayer } from "../../evals/agents/install-agent.ts";
import { plainTable } from "../../reports/text/lay-table.ts";
import { wrapped } from "../../reports/text/wrapped.ts";
import type { ListFlags } from "./options.ts";

/** Carries out `forge agents list`; answers the exit code. */
export async function listAgents({ json }: ListFlags): Promise<number> {
  const agents = await Promise.all(
    agentAdapters.map(async ({ name, version, package: from, wire }) => ({
      name,
      version,
      package: `${from.from} ${from.name}`,
      wire,
      installed: (await installedLayer(`${name}-${version}`, process.env)) !== undefined,
    })),
  );
  if (json) {
    process.stdout.write(`${JSON.stringify({ agents })}\n`);
    return 0;
  }
  const rows = agents.map((one) => [one.name, one.version, one.package, one.wire, one.installed ? "yes" : "no"]);
  process.stdout.write(
    `${plainTable(["agent", "version", "package", "wire", "installed"], rows, { left: true, dispensable: ["wire"] })}\n`,
  );
  process.stdout.write(`${wrapped("Any other program: agent: {command: …, wire: …} in a configuration. More: docs/agents.md", "")}\n`);
  return 0;
}
