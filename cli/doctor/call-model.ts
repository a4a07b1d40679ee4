import { plural } from "../../harness/text/figures.ts";
import type { ModelReply, ToolSchema } from "../../harness/contract/messages.ts";
import { textOf, userMessage } from "../../harness/contract/messages.ts";
import { ModelError } from "../../harness/contract/model-error.ts";
import type { Model } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { costOf } from "../../harness/models/prices/price-of-call.ts";
import { protocolPrompt } from "../../harness/models/protocols/text-prompts.ts";
import { rowOf } from "../../harness/models/families/find-row.ts";
import { bad, type Check, ok, split, warn } from "./check.ts";

/** What all calls together may cost, USD. */
const most = 0.02;
/** Tokens of one request: a sentence, the schema of one tool, and what a provider adds to it. */
const input = 400;
/** Tokens of an answer; below the least of them most answers would be cut, so that they would say nothing. */
const [leastOutput, mostOutput, cutOutput] = [64, 1_024, 16];

const report: ToolSchema = {
  name: "report",
  description: "Takes one word.",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
};

interface Kind {
  readonly name: string;
  readonly ask: string;
  readonly tools: readonly ToolSchema[];
  readonly output?: number;
  judge(reply: ModelReply, pieces: number): Check;
}

const words = (reply: ModelReply): string => JSON.stringify(textOf(reply.message.content).slice(0, 60));
const kinds: readonly Kind[] = [
  {
    name: "text",
    ask: "Answer with the single word ready.",
    tools: [],
    judge: (reply) =>
      textOf(reply.message.content).trim() === "" ? warn("call: text", "the reply was empty.") : ok("call: text", words(reply)),
  },
  {
    name: "tool",
    ask: "Call the tool report with the word ready. Say nothing else.",
    tools: [report],
    judge: ({ calls }) =>
      calls[0]?.name === "report" && calls[0].error === undefined
        ? ok("call: tool", `called report with ${JSON.stringify(calls[0].args).slice(0, 40)}`)
        : warn("call: tool", "the model made no call that can be read.", "Try --config with model: {protocol: text}."),
  },
  {
    name: "parallel calls",
    ask: "Call the tool report twice in this one reply: with the word one, and with the word two. Say nothing else.",
    tools: [report],
    judge: ({ calls }) =>
      calls.length > 1
        ? ok("call: parallel calls", `${plural(calls.length, "call")} in one reply`)
        : warn("call: parallel calls", `${calls.length === 1 ? "one call" : "no call"} a reply: work takes more turns.`),
  },
  {
    name: "stream",
    ask: "Count from one to fifteen in words.",
    tools: [],
    judge: (_reply, pieces) =>
      pieces > 1
        ? ok("call: stream", `${pieces} pieces`)
        : warn("call: stream", "the reply came in one piece: nothing is shown before its end."),
  },
  {
    name: "cut",
    ask: "Count from one to two hundred in words.",
    tools: [],
    output: cutOutput,
    judge: ({ stop }) =>
      stop === "length"
        ? ok("call: cut", `reported after ${cutOutput} tokens`)
        : warn("call: cut", "the end at the length limit is not reported: a cut reply counts as finished."),
  },
];

export interface Calls {
  readonly checks: readonly Check[];
  /** USD at most, before anything was asked; null where the server's price is not known. */
  readonly plannedUsd: number | null;
  readonly spentUsd: number | null;
}

/**
 * One real call of each kind, with the effort and sampling of the configuration. Above the cap, or where a paid model has no price, nothing is asked.
 * @param paid the server is neither on this machine nor in a private network
 * @param announce hears before the first call what all of them cost at most
 */
export async function callModel(
  { config, model }: { readonly config: ResolvedConfig; readonly model: Model },
  o: { readonly paid: boolean; readonly signal: AbortSignal; announce(plannedUsd: number | null): void },
): Promise<Calls> {
  const { name } = config.model;
  const price = model.identity.priceTable === null ? undefined : rowOf(name, config.model.row)?.price;
  const costWith = (output: number): number | null => {
    const costs = kinds.map((kind) => costOf({ input, output: kind.output ?? output, cached: 0 }, price));
    return costs.some((cost) => cost === null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  };
  let output = mostOutput;
  while (output > leastOutput && (costWith(output) ?? 0) > most) output = Math.max(leastOutput, Math.floor(output * 0.8));
  const plannedUsd = costWith(output);
  const none = (found: string, cure: string): Calls => ({ checks: [warn("call", found, cure)], plannedUsd, spentUsd: 0 });
  if (plannedUsd === null && o.paid)
    return none(
      "nothing was sent: no price is known, so the cost could not be held to $0.02.",
      "State it with --price in,out (USD per million tokens).",
    );
  if (plannedUsd !== null && plannedUsd > most)
    return none(
      `nothing was sent: at this model's price it would cost up to $${plannedUsd.toFixed(3)}, above $0.02.`,
      "Check with a cheaper model of the same provider.",
    );
  o.announce(plannedUsd);
  const checks: Check[] = [];
  let spentUsd: number | null = 0;
  for (const [ordinal, kind] of kinds.entries()) {
    const { check, costUsd } = await call(kind, ordinal);
    checks.push(check);
    spentUsd = costUsd === null || spentUsd === null ? null : spentUsd + costUsd;
    if (check.level === "bad") break; // what fails once, and names its cure, would fail the same way again
  }
  return { checks, plannedUsd, spentUsd };

  async function call(kind: Kind, ordinal: number): Promise<{ check: Check; costUsd: number | null }> {
    const { effort, temperature, topP, protocol } = config.model;
    const maxOutputTokens = kind.output ?? output;
    const params = {
      ...(effort === undefined ? {} : { effort }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      maxOutputTokens,
    };
    const system = protocol === "text" && kind.tools.length > 0 ? [{ name: "protocol", text: protocolPrompt(kind.tools) }] : [];
    let pieces = 0;
    try {
      const reply = await model.call(
        { system, messages: [userMessage(kind.ask)], tools: kind.tools, params },
        { place: { lane: "doctor", ordinal, attempt: 0 }, signal: o.signal, onText: () => void pieces++ },
      );
      const cut = reply.stop === "length" && kind.output === undefined;
      const check = cut
        ? warn(
            `call: ${kind.name}`,
            `the reply was cut at ${maxOutputTokens} tokens, all that the cap of $0.02 allows: nothing was checked.`,
          )
        : kind.judge(reply, pieces);
      return { check, costUsd: reply.costUsd };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const { found, cure } = split(error.message);
      return { check: bad(`call: ${kind.name}`, found, cure ?? "Look after the server, or name another model with --model."), costUsd: 0 };
    }
  }
}
