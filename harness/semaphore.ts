/** Lets at most so many at a time do something; the others wait in their order. */
export interface Semaphore {
  /** Answers when it is the caller's turn; call the answer when done, once. @throws the abort reason of one that no longer waits. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** More than before are let in at once; fewer, as those inside leave. */
  resize(width: number): void;
  /** Inside, and waiting. */
  readonly inside: number;
  readonly waiting: number;
}

export function createSemaphore(width: number): Semaphore {
  const queue: (() => void)[] = [];
  let limit = width;
  let inside = 0;
  const admit = (): void => {
    while (inside < limit && queue.length > 0) {
      inside++;
      queue.shift()?.();
    }
  };
  const leave = (): (() => void) => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      inside--;
      admit();
    };
  };
  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error); // whatever the caller aborted with
        const enter = (): void => {
          signal?.removeEventListener("abort", giveUp);
          resolve(leave());
        };
        const giveUp = (): void => {
          queue.splice(queue.indexOf(enter), 1);
          reject(signal?.reason as Error);
        };
        signal?.addEventListener("abort", giveUp, { once: true });
        queue.push(enter);
        admit();
      });
    },
    resize(to) {
      limit = to;
      admit();
    },
    get inside() {
      return inside;
    },
    get waiting() {
      return queue.length;
    },
  };
}
