import type { AnyMiddlewareDefinition } from "../contract/middleware.ts";
import type { Section, ToolSchema } from "../contract/messages.ts";
import type { ConfigOwner } from "./config-source.ts";
import type { AnyToolDefinition } from "../contract/tool-definition.ts";
import type { CodeSource, ConfiguredServer, ResolvedAgent, ResolvedModel } from "../contract/resolved-config.ts";
import type { ConfigFile } from "./schema.ts";

/** What a configuration may name. Most of it lives on higher floors, so it arrives as an argument. */
export interface ConfigRegistry {
  readonly presets: Readonly<Record<string, ConfigFile>>;
  /** Hears of each configuration file before it is read, also of one that is missing or broken. */
  readonly reading?: (path: string) => void;
  /** By name in the newest version, and by `name@version` in every version that there is. */
  readonly middleware: Readonly<Record<string, AnyMiddlewareDefinition>>;
  /** Other agents that a configuration may name; left out where none can run. Throws a sentence without its place for a name or a version that there is not. */
  readonly agents?: (name: string) => Promise<NamedAgent>;
  readonly tools: {
    readonly names: readonly string[];
    /** In the order of `names`, each of which is known; as the loop of that version offers them. */
    schemas(names: readonly string[], loop: 1 | 2): readonly ToolSchema[];
  };
  /**
   * Loads a user's own file: `./x.ts`, `/abs/x.ts` or `npm:package`, relative to `folder`. `owner` is whose configuration names it: code that a
   * repository names is not to be imported before it is trusted. `loadUserMiddleware` of this folder is one for what is trusted already.
   */
  loadUserMiddleware(specifier: string, folder: string, owner: ConfigOwner): Promise<UserMiddleware>;
  /** As `loadUserMiddleware`, of a tool. */
  loadUserTool(specifier: string, folder: string, owner: ConfigOwner): Promise<UserTool>;
  /** Throws `ConfigError` for a server that a repository names and the user has not trusted. Nothing is started here. */
  trustServer(server: NamedServer, owner: ConfigOwner): Promise<void>;
  /** The system prompt before `prompt:` of the configuration, what a protocol has to explain included: all that the hash must cover. */
  basePrompt(o: { tools: readonly ToolSchema[]; protocol: ResolvedModel["protocol"]; loop: 1 | 2 }): readonly Section[];
}

/** An adapter in an exact version. */
export type NamedAgent = Pick<ResolvedAgent, "name" | "wire" | "package" | "version">;

/** An MCP server, the place that names it, and the hash over how it is started. */
export interface NamedServer {
  readonly path: string;
  readonly hash: string;
  readonly server: ConfiguredServer;
}

export interface UserMiddleware {
  readonly definition: AnyMiddlewareDefinition;
  readonly source: CodeSource;
}

export interface UserTool {
  readonly definition: AnyToolDefinition;
  readonly source: CodeSource;
}
