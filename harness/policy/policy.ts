import { posix } from "node:path";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { resolveLinks } from "./resolve-links.ts";

/**
 * `plan`: tools that only look. `ask`: commands and calls of MCP servers outside of the sandbox are asked for, files may be changed inside `root`. `auto`: nothing is asked for, file tools
 * still stay inside `root`. `bypass`: everything, for a sandbox that holds nothing of value (a bench).
 */
export type PolicyMode = "plan" | "ask" | "auto" | "bypass";

/** What the registry wants to carry out. `paths` are absolute, as the model named them. */
export interface PolicyRequest {
  readonly tool: string;
  readonly readOnly: boolean;
  readonly runsCommands: boolean;
  /** Done outside of the sandbox, by an MCP server. */
  readonly outside?: boolean;
  readonly paths: readonly string[];
  /** Shown in the question: the command, or the call in short. */
  readonly summary: string;
  /** The harness's own folder for long outputs: may be looked at wherever it is. */
  readonly scratch?: string | undefined;
}

/** `reason` is for the model, `question` for the person. */
export type Decision =
  { readonly type: "allow" } | { readonly type: "ask"; readonly question: string } | { readonly type: "deny"; readonly reason: string };

export interface Policy {
  readonly mode: PolicyMode;
  judge(request: PolicyRequest, sandbox: Sandbox, signal: AbortSignal): Promise<Decision>;
}

/**
 * Decides who may do what. This is for comfort and against accidents; what keeps a hostile command in is the sandbox (`confined`).
 * `root`: file tools refuse every path that, links resolved inside the sandbox, lies outside of it; what cannot be resolved is refused.
 */
export function createPolicy(o: { mode: PolicyMode; confined: boolean; root?: string }): Policy {
  const { mode, confined, root } = o;
  return {
    mode,
    async judge(request, sandbox, signal) {
      if (mode === "bypass") return { type: "allow" };
      if (root !== undefined && request.paths.length > 0) {
        const refusal = await outside(request, root, sandbox, signal);
        if (refusal) return refusal;
      }
      if (mode === "ask" && request.runsCommands) {
        return { type: "ask", question: `Run ${confined ? "in the sandbox" : "unconfined, with your rights"}: ${request.summary}` };
      }
      if (mode === "ask" && request.outside === true)
        return { type: "ask", question: `Call ${request.tool}, an MCP server's tool, outside of the sandbox: ${request.summary}` };
      return { type: "allow" };
    },
  };
}

async function outside(request: PolicyRequest, root: string, sandbox: Sandbox, signal: AbortSignal): Promise<Decision | undefined> {
  const allowed = request.readOnly && request.scratch !== undefined ? [root, request.scratch] : [root];
  const real = await resolveLinks(sandbox, [...allowed, ...request.paths], signal);
  if (!real)
    return { type: "deny", reason: `It could not be made sure that ${list(request.paths)} lies inside ${root}, so the call is refused.` };
  const roots = real.slice(0, allowed.length);
  for (const [i, path] of request.paths.entries()) {
    const target = real[allowed.length + i];
    if (target !== undefined && roots.some((folder) => inside(target, folder))) continue;
    const where = target === undefined || target === path ? "" : `, which leads to ${target}`;
    return {
      type: "deny",
      reason: `${path}${where} is outside ${root}. File tools may only touch what is inside: use a path below ${root}.`,
    };
  }
  if (!request.readOnly) {
    const own = real
      .slice(allowed.length)
      .find((path) => path !== undefined && (path.split("/").includes(".forge") || path.endsWith("/forge.yaml")));
    if (own !== undefined)
      return { type: "deny", reason: `${own} belongs to the harness that you run in: it cannot be changed from here. Leave it as it is.` };
  }
  const hooks = request.readOnly ? undefined : real.slice(allowed.length).find((path) => path.split("/").includes(".git"));
  return hooks === undefined ? undefined : { type: "ask", question: `Change a file of git's own: ${hooks}` };
}

const inside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${posix.normalize(folder)}/`);
const list = (paths: readonly string[]): string => paths.join(", ");
