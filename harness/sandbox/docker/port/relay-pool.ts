import type Docker from "dockerode";
import { startRelay, type Relay, type RelayPlan } from "./open-port.ts";

type Wish = Omit<RelayPlan, "image">;

/**
 * Relays whose network a sandbox is made in, so that its port is there when it is: to start one takes as long as to start the sandbox. With `next`, one for
 * the sandbox after this one is started meanwhile.
 */
export interface RelayPool {
  take(wish: Wish): Promise<Relay>;
  next(wish: Wish): void;
  /** Removes the relays of that job that no sandbox took. */
  drop(job: string | undefined): Promise<void>;
}

export function createRelayPool(docker: Docker, image: () => Promise<string>): RelayPool {
  const start = async (wish: Wish): Promise<Relay> => startRelay(docker, { ...wish, image: await image() });
  const jobOf = ({ labels }: Wish): string | undefined => labels?.["job"];
  let waiting: { readonly wish: Wish; readonly relay: Promise<Relay | undefined> }[] = [];
  const isFor = (a: Wish, b: Wish): boolean => jobOf(a) === jobOf(b) && a.network === b.network && a.cgroupParent === b.cgroupParent;
  return {
    async take(wish) {
      const at = waiting.findIndex((one) => isFor(one.wish, wish));
      const relay = at < 0 ? undefined : await waiting.splice(at, 1)[0]?.relay;
      if (!relay?.ended) return relay ?? start(wish);
      await relay.remove();
      return start(wish);
    },
    next: (wish) => void waiting.push({ wish, relay: start(wish).catch(() => undefined) }), // who takes it starts one
    async drop(job) {
      const left = waiting.filter(({ wish }) => jobOf(wish) === job);
      waiting = waiting.filter((one) => !left.includes(one));
      for (const { relay } of left) await (await relay)?.remove();
    },
  };
}
