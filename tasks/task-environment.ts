import type { Healthcheck } from "../harness/sandbox/healthcheck.ts";
import type { McpServer } from "../harness/extensions/mcp/mcp-server.ts";
import type { NetworkPolicy } from "../harness/sandbox/sandbox.ts";
import type { Bounds, Environment } from "../harness/sandbox/provider.ts";
import type { Compose } from "../harness/sandbox/compose.ts";

/** Where an agent, or a verifier with an environment of its own, runs. */
export type TaskEnvironment = Environment & {
  readonly cpus?: number;
  readonly memoryMb?: number;
  readonly storageMb?: number;
  /** What containers get that state no limit of their own. Never the task's word: whoever runs it in hardened mode sets it. */
  readonly guard?: Bounds;
  /** Whether there is a network at all: false exactly when the policy's mode is `no-network`. */
  readonly network: boolean;
  readonly networkPolicy: NetworkPolicy;
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the image's working directory for commands. Absolute. */
  readonly workdir?: string;
  /** Must pass after the start and before the agent. */
  readonly healthcheck?: Healthcheck;
  /** MCP servers the agent is given. */
  readonly mcpServers: readonly McpServer[];
  /** What it asks for and nobody here uses: a finished sentence each. */
  readonly unread?: readonly string[];
  /** Set where the task comes with a compose file: several containers, one of which (`compose.main`) is the agent's. */
  readonly compose?: Compose;
};
