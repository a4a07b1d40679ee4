import type { AgentWireName } from "../../harness/contract/resolved-config.ts";
import type { AgentStart, StartOptions } from "./agent-adapter.ts";

/** A program of the user's own: the variables that clients of its wire read, and the instruction on standard input. */
export function startCommand(command: string, wire: AgentWireName, { url, token, model }: StartOptions): AgentStart {
  const of =
    wire === "anthropic-messages"
      ? { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: token }
      : { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: token };
  return { command, env: { ...of, FORGE_BASE_URL: url, FORGE_KEY: token, FORGE_MODEL: model } };
}
