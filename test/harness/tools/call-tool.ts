import type { Part } from "../../../harness/contract/messages.ts";
import { textOf } from "../../../harness/contract/messages.ts";
import type { Question, ToolAnswer, ToolContext } from "../../../harness/contract/ports.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { createPolicy, type Policy } from "../../../harness/policy/policy.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { createTools, type ToolSet } from "../../../harness/tools/registry.ts";
import { pickTools, toolNames } from "../../../harness/tools/tool-schemas.ts";
import type { Tool } from "../../../harness/tools/tool.ts";

export interface Bench {
  readonly tools: ToolSet;
  readonly events: { type: string; d: JsonObject }[];
  readonly asked: Question[];
  /** Calls a tool and answers its reply with its text. */
  call(name: string, args?: JsonObject, context?: Partial<ToolContext>): Promise<ToolAnswer & { text: string }>;
}

export interface BenchOptions {
  readonly tools?: readonly Tool[];
  readonly policy?: Policy;
  /** What the person answers; left out: nobody is there. */
  readonly answer?: string;
  readonly redact?: (text: string) => string;
  readonly maxChars?: number;
  readonly snapshots?: boolean;
}

/** All built-in tools on a sandbox, with everything a test wants to look at. */
export function bench(sandbox: Sandbox, o: BenchOptions = {}): Bench {
  const events: Bench["events"] = [];
  const asked: Question[] = [];
  let now = 0;
  let calls = 0;
  const tools = createTools({
    tools: o.tools ?? pickTools(toolNames),
    sandbox,
    policy: o.policy ?? createPolicy({ mode: "bypass", confined: true }),
    user: {
      ask: async (question) => {
        asked.push(question);
        return o.answer;
      },
    },
    clock: { now: () => (now += 5), sleep: async () => undefined },
    ...(o.redact && { redact: o.redact }),
    ...(o.maxChars !== undefined && { maxChars: o.maxChars }),
    snapshots: o.snapshots === true,
  });
  return {
    tools,
    events,
    asked,
    async call(name, args = {}, context = {}) {
      const n = ++calls;
      const reply = await tools.call(
        { id: `call-${n}`, name, args },
        {
          lane: `main/${n}.1`,
          turn: n,
          signal: new AbortController().signal,
          earlier: Promise.resolve(),
          emit: (type, d) => void events.push({ type, d }),
          spawn: async () => ({}),
          ...context,
        },
      );
      const parts: readonly Part[] = reply.content;
      return { ...reply, text: textOf(parts) };
    },
  };
}
