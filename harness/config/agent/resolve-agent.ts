import type { ResolvedAgent } from "../../contract/resolved-config.ts";
import { ConfigError, messageOf } from "../../errors.ts";
import type { ConfigRegistry } from "../config-registry.ts";
import { keyPath } from "../read/describe-issue.ts";
import type { Placed, Stack } from "../stack/stack-config.ts";
import { readAgentFiles } from "./read-agent-files.ts";

/**
 * The other agent that a configuration names, its version exact and its files read; undefined where Forge's own runs.
 * @throws ConfigError for one that is not known, for what it would not see, and for files that cannot be read
 */
export async function resolveAgent(stack: Stack, registry: ConfigRegistry): Promise<ResolvedAgent | undefined> {
  const { agent, files, env, args } = stack;
  if (!agent) {
    const [stray] = [...files.values(), ...env.values(), ...(args ? [args] : [])];
    if (stray) throw new ConfigError(`${keyPath(stray.path)}: only another agent takes this; name one with agent: ${at(stray)}`);
    return undefined;
  }
  const { value } = agent;
  if (!registry.agents)
    throw new ConfigError(
      `agent: this command is about Forge's own loop, and this configuration starts another agent; use it with forge bench, forge agents check or forge replay tools ${at(agent)}`,
    );
  const named =
    typeof value === "string"
      ? await registry.agents(value).catch((error: unknown) => {
          throw error instanceof ConfigError ? new ConfigError(`agent: ${messageOf(error).replace(/\.$/, "")} ${at(agent)}`) : error;
        })
      : { name: "command", ...value };
  refuseUnseen(stack, named.name);
  return {
    ...named,
    files: await readAgentFiles(files),
    env: Object.fromEntries([...env].map(([key, placed]) => [key, placed.value])),
    args: args?.value ?? [],
  };
}

/** What only Forge's own loop reads: two arms that differ in it alone would be one. */
function refuseUnseen({ tools, prompt, mcp, middleware, loop, snapshots, model }: Stack, name: string): void {
  const sampling = (["protocol", "effort", "temperature", "topP", "maxOutputTokens"] as const).flatMap((key) => {
    const placed = model.get(key);
    return placed?.value == null ? [] : [placed];
  });
  const [unseen] = [
    ...[tools, loop, snapshots].flatMap((one) => (one ? [one] : [])),
    ...prompt.values(),
    ...mcp.values(),
    ...middleware,
    ...sampling,
  ];
  if (unseen)
    throw new ConfigError(
      `${keyPath(unseen.path)}: ${name === "command" ? "the agent" : name} brings its own, and would not see this; take it out, or set it by files, env or args ${at(unseen)}`,
    );
}

const at = ({ from, path }: Placed<unknown>): string => `(${from.place(path)})`;
