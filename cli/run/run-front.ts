import pc from "picocolors";
import type { RunEvent } from "../../harness/events/schema.ts";
import { isRetryable } from "../../harness/contract/model-error.ts";
import { longestWaitBefore, retryPolicy } from "../../harness/models/retry/retry.ts";
import type { RunResult } from "../../harness/contract/run-result.ts";
import { jsonLine } from "../../reports/text/json-line.ts";
import { forgeWord } from "../../reports/text/next-steps.ts";
import { printable } from "../../harness/text/printable.ts";
import { count, dollars, duration, plural } from "../../reports/text/format.ts";

/** What `forge run` says while it works and at its end. */
export interface RunFront {
  event(event: RunEvent): void;
  text(lane: string, delta: string): void;
  end(
    result: RunResult & { readonly run: string; readonly model: string; readonly sandbox: string; readonly restore: string | null },
  ): void;
}

/** Conversation on standard output, what the harness does on standard error. */
export function textFront(): RunFront {
  let streaming = false;
  let modelFailure = "";
  const aside = (line: string): void => {
    if (streaming) process.stdout.write("\n");
    streaming = false;
    process.stderr.write(`${line}\n`);
  };
  return {
    text(lane, delta) {
      if (lane !== "main") return;
      streaming = true;
      process.stdout.write(printable(delta));
    },
    event(event) {
      if (event.t === "tool.call") aside(pc.cyan(`▸ ${describeCall(event)}`));
      else if (event.t === "tool.result") aside(pc.dim(`  ${describeResult(event)}`));
      else if (event.t === "middleware") aside(pc.yellow(`◆ ${printable(`${String(event.d["name"])}: ${String(event.d["why"])}`)}`));
      else if (event.t === "model.attempt") {
        modelFailure = String(event.d["message"]);
        // What is not tried again ends the run, and is printed there.
        if (isRetryable(String(event.d["kind"]))) aside(pc.yellow(`model: ${printable(modelFailure)} (${planAfter(event)})`));
      }
    },
    end(result) {
      const { spent, outcome } = result;
      if (outcome.type === "error") {
        const cure =
          outcome.kind === "infra" && outcome.message === modelFailure ? " Look after its server, or name another model with --model." : "";
        aside(`${pc.red("error:")} ${printable(outcome.message)}${cure}`);
      }
      const how = outcome.type === "done" ? pc.green("done") : pc.red(endOf(outcome));
      aside(
        `${how}  ${plural(spent.turns, "turn")}, ${count(spent.input)} tokens in, ${count(spent.output)} out, ${dollars(spent.costUsd)}, ${duration(spent.activeMs)}  (${printable(result.model)}, ${result.sandbox})`,
      );
      aside(`trace: ${result.run}   (${forgeWord()} replay ${result.run})`);
      if (result.restore !== null) aside(`undo:  ${result.restore}`);
    },
  };
}

/** One JSON object at the end; with `stream` also every event as it comes. */
export function jsonFront(o: { stream: boolean }): RunFront {
  const line = (value: object): void => void process.stdout.write(`${jsonLine(value)}\n`);
  return {
    text: () => undefined,
    event: (event) => {
      if (o.stream) line({ type: "event", ...event });
    },
    end: (result) => line({ type: "result", ...result }),
  };
}

/** Which try it was, and when the next comes. The trace has no wait: what is said is the longest. */
function planAfter({ d }: RunEvent): string {
  const attempt = Number(d["attempt"]);
  const which = `try ${attempt + 1} of ${retryPolicy.attempts}`;
  if (attempt + 1 >= retryPolicy.attempts) return which;
  const asked = typeof d["retryAfterMs"] === "number" ? d["retryAfterMs"] : undefined;
  return `${which}, the next within ${duration(longestWaitBefore(attempt, asked))}; Ctrl-C ends the run`;
}

function endOf(outcome: RunResult["outcome"]): string {
  if (outcome.type === "limit") return `limit reached: ${outcome.limit}`;
  return outcome.type === "cancelled" ? `cancelled: ${printable(outcome.reason)}` : outcome.type;
}

function describeCall(event: RunEvent): string {
  const { name, args } = event.d["call"] as { name: string; args: Record<string, unknown> }; // as the loop emits it
  const command = args["command"] ?? args["path"] ?? args["pattern"];
  return printable(`${name} ${typeof command === "string" ? command : JSON.stringify(args)}`).slice(0, 300);
}

function describeResult(event: RunEvent): string {
  const { status, content, effects } = event.d["reply"] as { status: string; content: { text?: string }[]; effects: { edited: string[] } }; // as above
  const lines = (content[0]?.text ?? "")
    .trim()
    .split("\n")
    .filter((line) => !/^<\/?tool_output>$/.test(line));
  const edited = effects.edited.length > 0 ? ` [edited ${effects.edited.slice(0, 5).join(", ")}]` : "";
  return printable(`${status}: ${lines[0] ?? ""}${lines.length > 1 ? ` … (${lines.length} lines)` : ""}${edited}`).slice(0, 300);
}
