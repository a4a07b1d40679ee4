import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { givenUp } from "../../../../evals/trial/attempt/given-up.ts";

const run = (close: () => void = () => undefined) => ({ trace: { close: async () => close() } });
const never = new Promise<ReturnType<typeof run>>(() => undefined);

describe("a run that is told to end", () => {
  it("is given up where it never does, told before it began or while it goes on, and that is nobody's score", async () => {
    const later = new AbortController();
    const open = givenUp(never, later.signal, { ms: 5 });
    later.abort();
    for (const one of [open, givenUp(never, AbortSignal.abort(), { ms: 5 })])
      await expect(one).rejects.toMatchObject({ name: "InfraError", message: expect.stringContaining("did not end within 0.005 s") as unknown }); // prettier-ignore
  });

  it("has what it comes to when it ends in time, or is not told at all", async () => {
    const wrong = (): never => expect.fail("it was not given up");
    const done = run(wrong);
    const ends = async (): Promise<typeof done> => (await wait(20), done);
    expect(await givenUp(ends(), AbortSignal.abort(), { ms: 5_000, onGivenUp: wrong })).toBe(done);
    expect(await givenUp(ends(), new AbortController().signal, { ms: 1, onGivenUp: wrong })).toBe(done);
    await expect(givenUp(Promise.reject(new Error("its own")), AbortSignal.abort(), { ms: 5_000 })).rejects.toThrow("its own");
  });

  it("tells when it is given up, and its trace is closed should it end after all", async () => {
    let end: (ended: ReturnType<typeof run>) => void = () => undefined;
    const late = new Promise<ReturnType<typeof run>>((resolve) => (end = resolve));
    const told: string[] = [];
    await expect(givenUp(late, AbortSignal.abort(), { ms: 5, onGivenUp: () => told.push("given up") })).rejects.toThrow("did not end");
    expect(told).toEqual(["given up"]);
    await new Promise<void>((closed) => end(run(closed)));
  });
});
