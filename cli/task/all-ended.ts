/** Waits for all of them, so that none writes into a folder that is being removed, and throws what the first that failed threw. */
export async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(works)) if (one.status === "rejected") throw one.reason;
}
