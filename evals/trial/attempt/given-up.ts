import { InfraError } from "../../../harness/errors.ts";

/** A run that was told to end ends its commands and what its middleware waits for: that takes seconds. */
const endingMs = 60_000;

/** What a run comes to, its trace open. */
interface Ended {
  readonly trace: { close(): Promise<void> };
}

/**
 * What a run comes to, or `InfraError` where it does not end in the time that is left to it once `signal` has told it to: a middleware that waits for what
 * never comes would keep the trial, and the bench with it, for ever. Whose fault that was is not known: the run is not scored. Should it end after all, its
 * trace is closed without a seal.
 */
export async function givenUp<T extends Ended>(
  run: Promise<T>,
  signal: AbortSignal,
  {
    ms = endingMs,
    onGivenUp,
  }: { readonly ms?: number; /** From then on nobody waits for the run. */ readonly onGivenUp?: () => void } = {},
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let told: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      onGivenUp?.();
      run.then(({ trace }) => trace.close()).catch(() => undefined);
      reject(
        new InfraError(
          `The run did not end within ${ms / 1000} s after it was stopped, as where a middleware waits for what never comes. Its trace shows its last step.`,
        ),
      );
    };
    told = () => {
      timer = setTimeout(giveUp, ms);
    };
    if (signal.aborted) told();
    else signal.addEventListener("abort", told, { once: true });
  });
  try {
    return await Promise.race([run, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", told);
  }
}
