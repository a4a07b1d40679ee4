import { effortSchema } from "../../../harness/contract/model-row.ts";
import { presets } from "../../../middleware/presets/presets.ts";
import { conversationOf, forbidden, markOf } from "../../../test/servers/eventful-model.ts";
import type { ReceivedRequest } from "../../../test/servers/scripted-reply.ts";

/** One configuration of the matrix. */
export interface Case {
  /** `provider/name`. */
  readonly model: string;
  /** `unset`: the configuration names none. */
  readonly effort: string;
  readonly preset: string;
}

/** What became of it. */
export interface Found extends Case {
  /** The task's own verifier passed. */
  readonly solved: boolean;
  /** Each different sentence of a provider that refused a request. */
  readonly refusals: readonly string[];
  /** Efforts and thinking budgets that arrived at the server, in order of arrival. */
  readonly sent: readonly string[];
  /** Why there is no result, in the words of the command; left out: there is one. */
  readonly why?: string;
}

export const efforts: readonly string[] = ["unset", ...effortSchema.options];
export const presetNames: readonly string[] = Object.keys(presets).filter((name) => name.includes("@"));

const nameOf = (one: Case): string => `${one.model} ${one.effort} ${one.preset}`;
/** To be put into the system prompt. From version 2 of a preset on a cut reply is not the end. */
export const markOfCase = (one: Case): string => markOf(nameOf(one), !one.preset.endsWith("@1"));

/** The configuration file of a case. `denied.ts` is the file beside it. */
export const configurationOf = (one: Case): string =>
  [
    `extends: ${one.preset}`,
    `model: {name: ${one.model}${one.effort === "unset" ? "" : `, effort: ${one.effort}`}}`,
    `middleware: [./denied.ts]`,
    `prompt: {case: ${JSON.stringify(markOfCase(one))}}`,
  ].join("\n");

/** Denies a call with a message to the model, and sends the run on once when it wants to end. */
export const deniedFile = `import { middleware, z } from "forge-lab";
export default middleware("denied", "1", z.strictObject({}), () => ({
  async tool(call, next, run) {
    if (!JSON.stringify(call.args).includes(${JSON.stringify(forbidden)})) return next(call);
    run.inject("That file stays closed. Go on without it.", "a closed file");
    return { status: "denied", content: [{ type: "text", text: "Denied." }], effects: { edited: [] } };
  },
  async finish(run) {
    const again = run.log.interventions.some((one) => one.middleware === "denied" && one.change === "resume");
    return again ? undefined : { message: "Look once more whether it greets.", why: "once more" };
  },
}));
`;

/** Hears of every request and keeps what belongs to a case. */
export function listen(): {
  hear(request: ReceivedRequest, refused: string | undefined): void;
  of(one: Case): Pick<Found, "refusals" | "sent">;
} {
  const heard = new Map<string, { refusals: Set<string>; sent: Set<string> }>();
  return {
    hear(request, refused) {
      const name = conversationOf(request) ?? "";
      const entry = heard.get(name) ?? { refusals: new Set(), sent: new Set() };
      heard.set(name, entry);
      if (refused === undefined) entry.sent.add(effortIn(request));
      else entry.refusals.add(refused);
    },
    of(one) {
      const { refusals = [], sent = [] } = heard.get(nameOf(one)) ?? {};
      return { refusals: [...refusals], sent: [...sent] };
    },
  };
}

function effortIn({ body }: ReceivedRequest): string {
  const reasoning = body["reasoning"] as { effort?: string } | undefined; // as Forge writes them
  const thinking = body["thinking"] as { type: string; budget_tokens?: number } | undefined;
  const config = body["output_config"] as { effort?: string } | undefined;
  const effort = body["reasoning_effort"] ?? reasoning?.effort ?? config?.effort;
  if (typeof effort === "string") return effort;
  if (thinking?.budget_tokens !== undefined) return `${thinking.budget_tokens} tokens`;
  return thinking?.type ?? "unset";
}
