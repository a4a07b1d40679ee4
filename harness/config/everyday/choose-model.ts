import { CannotError } from "../../errors.ts";
import { findLocalServer } from "../../models/providers/find-local.ts";
import type { User } from "../../contract/ports.ts";

export interface ChosenModel {
  readonly name: string;
  readonly baseUrl?: string;
}

const keys = [
  { variable: "ANTHROPIC_API_KEY", model: "anthropic/claude-sonnet-5-5" },
  { variable: "OPENAI_API_KEY", model: "openai/gpt-5-mini" },
] as const;

/**
 * The model where none is configured: a server that answers on this machine, else one that a key in the environment pays for, after a question.
 * Never used by a bench.
 */
export async function chooseModel(env: NodeJS.ProcessEnv, user: User, signal: AbortSignal): Promise<ChosenModel> {
  const local = await findLocalServer(fetch);
  if (local) return { name: `local/${local.model}`, baseUrl: local.baseUrl };
  for (const { variable, model } of keys) {
    if (!env[variable]) continue;
    const text = `No model is configured and no local server responds. ${variable} is set: use ${model}, which costs money?`;
    if ((await user.ask({ kind: "question", text, choices: ["yes", "no"] }, signal)) === "yes") return { name: model };
  }
  throw new CannotError(
    "No model is configured, and no model server responds on ports 11434, 8080 or 1234. Start one, or name a model: --model anthropic/claude-sonnet-5-5, or `model: provider/name` in forge.yaml.",
  );
}
