import type { AgentWireName } from "../../harness/contract/resolved-config.ts";

/** Where an agent's package comes from. */
export type AgentPackage =
  | {
      readonly from: "npm";
      readonly name: string;
      /** It is no program of its own: a Node is installed beside it. */ readonly needsNode?: true;
    }
  | { readonly from: "pip"; readonly name: string };

/** What an agent is started with. */
export interface StartOptions {
  /** Of the gateway, without `/v1`. */
  readonly url: string;
  readonly token: string;
  /** What the agent calls its model. */
  readonly model: string;
  /** An empty folder. */
  readonly home: string;
  /** Where its package is, as the sandbox sees it. */
  readonly layer: string;
}

export interface AgentStart {
  /** For sh, in the task's workdir, the instruction on standard input; the configuration's args are added to its end. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Texts of files, by their path below the home. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One agent: how it is had, started and understood. One file each. Facts: docs/agents.md. */
export interface AgentAdapter {
  readonly name: string;
  readonly wire: AgentWireName;
  readonly package: AgentPackage;
  /** The one that was tried; taken where a configuration names none. */
  readonly version: string;
  start(o: StartOptions): AgentStart;
  /** The name under which it is to ask for a model that it does not know: clients shape their requests by it. */
  readonly knownModel?: string;
  /** What it says of where a request belongs, where it says so. */
  laneOf?(headers: Headers): string | undefined;
  /** It ends by a command and not by a reply without one: what a simulated model says for its end. */
  readonly lastCommand?: string;
  /** An error that its output shows although its exit code does not. */
  errorIn?(stdout: string): string | undefined;
}
