import type { AnyToolDefinition, ToolWorkspace } from "../contract/tool-definition.ts";
import type { TextResult } from "../contract/middleware.ts";
import { InfraError, messageOf } from "../errors.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Tool, ToolOutcome } from "./tool.ts";

export interface UserToolOptions {
  /** What one call may take at most, milliseconds, whatever the tool says. */
  readonly maxTimeoutMs?: number | undefined;
  /** `search.ts:12`, where an error of the tool came from. */
  readonly placeOf?: ((error: unknown) => string | undefined) | undefined;
}

const defaultTimeoutMs = 120_000;
const textBytes = 1024 * 1024;
/** Of one result: more would be carried into the sandbox as a file. */
const resultChars = 1_000_000;

/** A tool of the user's own as one of the agent's. Whatever it does is an observation: what it throws, what is no text, and that its time was over. */
export function userTool(definition: AnyToolDefinition, { maxTimeoutMs = Infinity, placeOf }: UserToolOptions = {}): Tool {
  const { name, description, parameters, readOnly = false } = definition;
  const timeoutMs = Math.min(definition.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs);
  return {
    name,
    description,
    parameters,
    readOnly,
    async run(args, { sandbox, signal }) {
      const over = new AbortController();
      const ended = AbortSignal.any([signal, over.signal]);
      const late = new Promise<ToolOutcome>((resolve) =>
        over.signal.addEventListener("abort", () =>
          resolve(failed("timeout", `"${name}" took longer than ${timeoutMs} ms and was given up`)),
        ),
      );
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: over.signal }),
      );
      stopped.catch(() => undefined);
      const timer = setTimeout(() => over.abort(new Error("The call of this tool is over.")), timeoutMs);
      const answer = async (): Promise<ToolOutcome> => {
        try {
          return outcomeOf(name, await definition.run(args, workspaceOf(sandbox, ended)));
        } catch (error) {
          if (error instanceof InfraError) throw error;
          const place = placeOf?.(error);
          return failed("tool_failed", `"${name}" threw${place === undefined ? "" : ` at ${place}`}: ${messageOf(error)}`);
        }
      };
      try {
        return await Promise.race([answer(), late, stopped]);
      } finally {
        clearTimeout(timer);
        over.abort(new Error("The call of this tool is over."));
      }
    },
  };
}

function outcomeOf(name: string, given: unknown): ToolOutcome {
  if (typeof given !== "string")
    return failed("bad_result", `"${name}" answered ${given === null ? "null" : typeof given} where a text is expected`);
  if (given.length <= resultChars) return { status: "ok", content: [{ type: "text", text: given }] };
  return {
    status: "ok",
    content: [{ type: "text", text: given.slice(0, resultChars) }],
    note: `The result had ${given.length} characters; those after the first ${resultChars} are lost.`,
  };
}

const failed = (error: "timeout" | "tool_failed" | "bad_result", what: string): ToolOutcome => ({
  status: error === "timeout" ? "timeout" : "error",
  content: [],
  note: `${what}. Check the arguments or go on without it.`,
  error,
});

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A call that was given up must not go on changing the workspace under the next one. */
function workspaceOf(sandbox: Sandbox, signal: AbortSignal): ToolWorkspace {
  return {
    workdir: sandbox.workdir,
    signal,
    async exec(command, o = {}): Promise<TextResult> {
      signal.throwIfAborted();
      const result = await sandbox.exec(command, { ...o, signal, maxBytes: textBytes });
      return { status: result.status, exitCode: result.exitCode, stdout: decode(result.stdout), stderr: decode(result.stderr) };
    },
    async readFile(path) {
      signal.throwIfAborted();
      const bytes = await sandbox.readFile(path);
      return bytes ? decode(bytes) : undefined;
    },
    async writeFile(path, text) {
      signal.throwIfAborted();
      await sandbox.writeFile(path, new TextEncoder().encode(text));
    },
  };
}
