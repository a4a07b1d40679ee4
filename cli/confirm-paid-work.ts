import type { BenchPorts } from "../evals/bench-ports.ts";
import type { BenchRequest } from "../evals/bench-request.ts";
import { oneLine } from "../reports/terminal/printable.ts";

/** Tokens of a trial that nothing is known of: what one of a frontier model on a small task takes. */
const guess = { in: 150_000, out: 6_000, minutes: 3 };

/** Before paid work: says how many trials, tokens and minutes it may be, and asks. True: go on. */
export async function confirmPaidWork(request: BenchRequest, ports: BenchPorts, o: { yes: boolean }): Promise<boolean> {
  const paid: string[] = [];
  for (const config of request.configurations) {
    const { simulated, priceTable, provider } = await ports.identify(config, request.agent);
    if (simulated !== true && priceTable !== null && provider !== "scripted") paid.push(config.model.name);
  }
  if (paid.length === 0) return true;
  const trials = request.suite.tasks.length * paid.length * request.repeats;
  const limit = request.maxCostUsd === undefined ? "no cost limit (--max-cost sets one)" : `at most $${request.maxCostUsd}`;
  process.stderr.write(
    `Paid work: up to ${trials} trial${trials === 1 ? "" : "s"} with ${oneLine([...new Set(paid)].join(", "))}; a guess before any is run: ${(trials * guess.in) / 1e6}M tokens in, ` +
      `${(trials * guess.out) / 1e6}M out, ${Math.ceil((trials * guess.minutes) / (request.jobs ?? 2))} minutes; ${limit}.\n`,
  );
  if (o.yes) return true;
  if (!process.stdin.isTTY) {
    process.stderr.write("Nobody is here to say yes: use --yes to go on.\n");
    return false;
  }
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message: "Go on?", initialValue: false })) === true;
}
