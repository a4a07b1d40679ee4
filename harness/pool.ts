/** Works through the items in their order, at most `width` at a time. After a failure nothing more is started; it is thrown when all have ended. */
export async function pool<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  let failure: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failure) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, worker));
  if (failure) throw failure.error;
}
