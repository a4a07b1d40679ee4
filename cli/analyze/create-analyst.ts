import type { Analyst, ReadingPlan } from "../../analyzer/analyst/analyst.ts";
import { converse } from "../../assembly/analyst.ts";
import type { ResolvedModel } from "../../harness/contract/resolved-config.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { createModel } from "../../harness/models/create-model.ts";
import { priceOf } from "../../harness/models/families/find-row.ts";
import { costOf } from "../../harness/models/prices/price-of-call.ts";
import { deadServer } from "../../harness/models/providers/clients/server-address.ts";
import { isPaid } from "../../harness/models/providers/is-paid.ts";
import { systemClock } from "../../harness/system-ports.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { count, dollars, plural } from "../../reports/text/format.ts";
import { agreeToPay } from "../shared/agree-to-pay.ts";
import type { AnalyzeFlags } from "./options.ts";
import { recordedAnalyst } from "./recorded-analyst.ts";

/** The analyst that the flags name; undefined: none. */
export async function createAnalyst(flags: AnalyzeFlags): Promise<Analyst | undefined> {
  const { model: name, baseUrl, protocol, rules, maxCost, yes, recorded } = flags;
  if (recorded !== undefined) {
    if (name !== undefined || rules)
      throw new ConfigError(
        `--recorded serves an earlier model's replies, and ${rules ? "--rules uses" : "--model asks"} ${rules ? "no model" : "one"}; leave one of them out.`,
      );
    return recordedAnalyst(recorded);
  }
  if (name === undefined) {
    const alone = (["baseUrl", "protocol", "oneCall", "maxCost", "price"] as const).find((flag) => flags[flag] !== undefined);
    if (alone === undefined) return undefined;
    throw new ConfigError(
      `--${alone.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} needs --model provider/name, which reads the runs.`,
    );
  }
  if (rules) throw new ConfigError("--rules uses no model, and --model names one; leave one of them out.");
  const settings: ResolvedModel = {
    name,
    protocol: protocol ?? "native",
    maxOutputTokens: 2048,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
  const { identity } = await createModel(settings, process.env, { clock: systemClock });
  const paid = isPaid(settings, identity, process.env);
  const price = flags.price ? { ...flags.price, cached: flags.price.input } : priceOf(identity.provider, identity.name);
  if (maxCost !== undefined && paid && price === undefined)
    throw new ConfigError(`--max-cost needs a price, and none is known for ${name}; give it with --price in,out (USD per million tokens).`);
  const dead = await deadServer(settings, process.env);
  if (dead !== undefined) throw new CannotError(`${dead} Start it, or give another address with --base-url. Nothing was sent.`);
  return {
    model: settings,
    form: flags.oneCall === true ? "one-call" : "tools",
    windowTokens: flags.window,
    parallel: flags.parallel,
    maxCostUsd: maxCost,
    priceOf: ({ input, output }) => (paid ? costOf({ input, output, cached: 0 }, price) : 0),
    confirm: async (plan) => !paid || confirmReading(name, plan, { yes: yes === true, maxCost }),
    onSchemaRefused: () =>
      void process.stderr.write(
        `${oneLine(name)} takes no JSON schema (response_format): the form of its replies is requested in words alone.\n`,
      ),
    converse: async (conversation) =>
      converse(await createModel(conversation.config.model, process.env, { clock: systemClock }), conversation),
  };
}

/** Says what reading may take, and asks. True: go on. */
async function confirmReading(
  model: string,
  { runs, input, output, costUsd }: ReadingPlan,
  o: { yes: boolean; maxCost: number | undefined },
): Promise<boolean> {
  const limit = o.maxCost === undefined ? "no cost limit (--max-cost sets one)" : `at most $${o.maxCost}`;
  process.stderr.write(
    `Paid work: ${oneLine(model)} reads ${plural(runs, "failed run")}; estimated: ${count(input)} tokens in, ${count(output)} out, ` +
      `${costUsd === null ? "cost not known" : `about ${dollars(costUsd)} without a cache`}; ${limit}.\n`,
  );
  return agreeToPay(o.yes);
}
