import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { BenchRequest } from "../../evals/bench/bench-request.ts";
import type { TrialPlan } from "../../evals/trial/trial-plan.ts";
import type { ModelIdentity } from "../../harness/contract/ports.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import type { Price } from "../../harness/contract/model-row.ts";
import { priceOf } from "../../harness/models/families/find-row.ts";
import { costOf } from "../../harness/models/prices/price-of-call.ts";
import { dollars } from "../../reports/text/format.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { agreeToPay } from "../shared/agree-to-pay.ts";
import { isPaid } from "../../harness/models/providers/is-paid.ts";

/** Of a trial that nothing is known of: what one of a frontier model on a small task takes, in so many requests. */
const guess = { in: 150_000, out: 6_000, requests: 15, minutes: 3 };

/** Before paid work: says how many trials, tokens and minutes it may be, and asks. True: go on. */
export async function confirmPaidWork(
  request: BenchRequest,
  ports: BenchPorts,
  o: {
    yes: boolean;
    /** Asked where there is paid work: what is still to be done of it. */
    left: () => Promise<readonly Pick<TrialPlan, "configuration">[]>;
  },
): Promise<boolean> {
  const paying: { readonly config: ResolvedConfig; readonly identity: ModelIdentity }[] = [];
  for (const config of request.configurations) {
    const identity = await ports.identify(config, request.agent);
    if (isPaid(config.model, identity, process.env)) paying.push({ config, identity });
  }
  if (paying.length === 0) return true;
  const left = await o.left();
  const paid: string[] = [];
  let trials = 0;
  let costUsd: number | null = 0;
  for (const { config, identity } of paying) {
    const own = left.filter(({ configuration }) => configuration === config.name).length;
    if (own === 0) continue;
    paid.push(config.model.name);
    trials += own;
    const trial = identity.priceTable === null ? null : costOfTrial(config.model.row?.price ?? priceOf(identity.provider, identity.name));
    costUsd = trial === null || costUsd === null ? null : costUsd + trial * own;
  }
  if (trials === 0) return true;
  const limit = request.maxCostUsd === undefined ? "no cost limit (--max-cost sets one)" : `at most $${request.maxCostUsd}`;
  process.stderr.write(
    `Paid work: up to ${trials} trial${trials === 1 ? "" : "s"} with ${oneLine([...new Set(paid)].join(", "))}; a guess before any is run: ${(trials * guess.in) / 1e6}M tokens in, ` +
      `${(trials * guess.out) / 1e6}M out, ${Math.ceil((trials * guess.minutes) / (request.jobs ?? 2))} minutes, ${costUsd === null ? "cost not known" : `about ${dollars(costUsd)} without a cache`}; ${limit}.\n`,
  );
  return agreeToPay(o.yes);
}

/** USD by the price table, had nothing been read from a cache; null where the model's price is unknown. */
function costOfTrial(price: Price | undefined): number | null {
  const { requests } = guess;
  const one = costOf({ input: guess.in / requests, output: guess.out / requests, cached: 0 }, price);
  return one === null ? null : one * requests;
}
