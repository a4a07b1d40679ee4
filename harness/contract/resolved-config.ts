import type { Section, ToolSchema } from "./messages.ts";
import type { Effort, ModelRow } from "./model-row.ts";
import type { Limits } from "./run-result.ts";
import type { JsonObject } from "../json.ts";

/** A configuration with everything looked up and every default filled in: what `run.start` records and what a run is a function of. Plain JSON. */
export interface ResolvedConfig {
  /** What people call it: the preset's name or the file's base name. Not part of the hash. */
  readonly name: string;
  /** Harness hash (`architecture.md` 3): SHA-256 in hex over prompts, tool schemas, limits, protocol and middleware. */
  readonly hash: string;
  readonly model: ResolvedModel;
  /** The system prompt before any middleware. */
  readonly system: readonly Section[];
  /** Names of the sections that the configuration itself set or removed; left out where it left all to Forge. Not part of the hash. */
  readonly ownPrompt?: readonly string[];
  readonly tools: readonly ToolSchema[];
  /** Of `tools` those that are files of the user's own; left out where there are none. */
  readonly toolFiles?: readonly ToolFile[];
  /** MCP servers outside of the sandbox, whose tools a run has beside `tools`; left out where there are none. */
  readonly mcp?: readonly ConfiguredServer[];
  /** File and line that set each value of the model, by its key, `extra.top_k` too: for the sentence of a refusal. In no hash. */
  readonly places?: Readonly<Record<string, string>>;
  /** Outermost first. */
  readonly middleware: readonly ResolvedMiddleware[];
  readonly limits: Limits;
  /** Version of the loop: how it takes replies without a call. Left out: 1, which takes any as the end. Part of the hash where it is not 1. */
  readonly loop?: 2;
  /** Another agent in place of Forge's own loop: it brings its prompt, tools and loop, which are empty here. Part of the hash. */
  readonly agent?: ResolvedAgent;
  /** False: no snapshots of the workdir after calls. Left out where they are taken. Not part of the hash: nothing in a run reads them. */
  readonly snapshots?: false;
}

/** The wire formats that agents speak. */
export const agentWires = ["openai-chat", "anthropic-messages", "openai-responses"] as const;
export type AgentWireName = (typeof agentWires)[number];

/** An agent that is a program of its own, started in the task's sandbox. */
export interface ResolvedAgent {
  /** Of its adapter; `command` for one that the configuration describes itself. */
  readonly name: string;
  readonly wire: AgentWireName;
  /** Of an adapter: the package that is installed, and its exact version. */
  readonly package?: string;
  readonly version?: string;
  /** Of one without an adapter: how it is started, and what makes its layer, once. */
  readonly command?: string;
  readonly install?: string;
  /** Texts of files by their path in the workdir, or below the agent's home where it begins with `~/`. */
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** Added to the words of the adapter's command. */
  readonly args: readonly string[];
}

export interface ResolvedModel {
  /** `provider/name`. */
  readonly name: string;
  readonly protocol: "native" | "text" | "grammar";
  readonly maxOutputTokens: number;
  readonly effort?: Effort;
  readonly temperature?: number;
  readonly topP?: number;
  readonly contextTokens?: number;
  readonly extra?: JsonObject;
  /** The user's own row of the model, over Forge's table. */
  readonly row?: ModelRow;
  /** Of a compatible server. In no hash: where a model is served does not make it another one. */
  readonly baseUrl?: string;
}

export interface ResolvedMiddleware {
  readonly name: string;
  readonly version: string;
  /** All options, defaults filled in. */
  readonly options: JsonObject;
  /** Only the options that differ from their defaults: what the hash covers. */
  readonly changed: JsonObject;
  /** With these options it changes earlier messages, by its own word. Part of no hash. */
  readonly rewrites?: true;
  readonly source?: CodeSource;
}

/** A tool of the user's own. Its schema for the model is among `tools`, under its name. */
export interface ToolFile {
  readonly name: string;
  readonly source: CodeSource;
}

/** An MCP server as a configuration names it. `${NAME}` in `env` and `headers` is a variable of the environment, which is put in when the server is started. */
export type ConfiguredServer = {
  readonly name: string;
  /** Of the configuration that names it: where a program starts. In no hash. */
  readonly folder: string;
  /** Names of its tools that the agent has; left out: all. */
  readonly only?: readonly string[];
  /** Milliseconds of one call; its start has 60,000, or this where it is more. */
  readonly timeoutMs?: number;
} & (
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly transport: "sse" | "streamable-http"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/** A user's own file: where it was, the hash of it and its relative imports, and their texts by path relative to its folder. */
export interface CodeSource {
  readonly path: string;
  readonly hash: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Whether a configuration asks the simulated model, which plays a task's plan. */
export const isSimulated = ({ model }: Pick<ResolvedConfig, "model">): boolean => model.name.startsWith("sim/");
