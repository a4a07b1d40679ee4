import { ConfigError } from "../../harness/errors.ts";
import { didYouMean } from "../../harness/text/did-you-mean.ts";
import type { NamedAgent } from "../../harness/config/config-registry.ts";
import type { AgentAdapter } from "./agent-adapter.ts";
import { claudeCode } from "./adapters/claude-code.ts";
import { codex } from "./adapters/codex.ts";
import { miniSweAgent } from "./adapters/mini-swe-agent.ts";
import { pi } from "./adapters/pi.ts";

export const agentAdapters: readonly AgentAdapter[] = [claudeCode, codex, miniSweAgent, pi];

/** The adapter of that name; undefined for an agent that a configuration describes itself. */
export const adapterOf = (name: string): AgentAdapter | undefined => agentAdapters.find((one) => one.name === name);

/**
 * The agent behind `name` or `name@version`; without a version, in the one that was tried.
 * @throws ConfigError without its place
 */
export async function findAgent(asked: string): Promise<NamedAgent> {
  const at = asked.lastIndexOf("@");
  const [name, version] = at > 0 ? [asked.slice(0, at), asked.slice(at + 1)] : [asked, undefined];
  const adapter = adapterOf(name);
  if (!adapter) {
    const names = agentAdapters.map((one) => one.name);
    throw new ConfigError(
      `there is no agent ${JSON.stringify(name)}, ${didYouMean(name, names, "there are")}; any other program is agent: {command: …, wire: …}, and --agent takes oracle, nop too`,
    );
  }
  if (version !== undefined && !/^\d[\w.+-]*$/.test(version))
    throw new ConfigError(`expected an exact version, such as ${name}@${adapter.version}, got ${JSON.stringify(asked)}`);
  return { name, wire: adapter.wire, package: adapter.package.name, version: version ?? adapter.version };
}
