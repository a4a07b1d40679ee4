import { quote } from "../../shell/quote.ts";
import type { Healthcheck } from "../../healthcheck.ts";

/** `HEALTHCHECK` of an image as the engine keeps it: nanoseconds, 0 for a default. */
export interface ImageHealthcheck {
  readonly Test?: readonly string[] | undefined;
  readonly Interval?: number | undefined;
  readonly Timeout?: number | undefined;
  readonly StartPeriod?: number | undefined;
  readonly Retries?: number | undefined;
}

/**
 * The image's own check as a command that is run before the agent starts, as `compose up --wait` would; afterwards the engine is not to run it beside
 * the agent. Undefined where there is none. Defaults are the engine's.
 */
export function imageHealthcheck(config: ImageHealthcheck | undefined | null): Healthcheck | undefined {
  const [kind, ...words] = config?.Test ?? [];
  if (config == null || (kind !== "CMD" && kind !== "CMD-SHELL") || words.length === 0) return undefined;
  const ms = (nanoseconds: number | undefined, otherwise: number): number => (nanoseconds ? nanoseconds / 1e6 : otherwise);
  return {
    command: kind === "CMD" ? words.map(quote).join(" ") : words.join(" "),
    intervalMs: ms(config.Interval, 30_000),
    timeoutMs: ms(config.Timeout, 30_000),
    // The engine waits a whole interval before the first check; asked sooner, a service that is up is known to be up, and a failure counts no more.
    startPeriodMs: ms(config.StartPeriod, 0) + ms(config.Interval, 30_000),
    startIntervalMs: Math.min(500, ms(config.Interval, 30_000)),
    retries: config.Retries || 3,
  };
}
