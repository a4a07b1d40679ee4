import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { givenUp } from "../../evals/trial/given-up.ts";

const never = new Promise<string>(() => undefined);

describe("a run that is told to end", () => {
  it("is given up where it never does, told before it began or while it goes on, and that is nobody's score", async () => {
    const later = new AbortController();
    const open = givenUp(never, later.signal, 5);
    later.abort();
    for (const run of [open, givenUp(never, AbortSignal.abort(), 5)])
      await expect(run).rejects.toMatchObject({ name: "InfraError", message: expect.stringContaining("did not end within 0.005 s") as unknown }); // prettier-ignore
  });

  it("has what it comes to when it ends in time, or is not told at all", async () => {
    const ends = async (): Promise<string> => (await wait(20), "done");
    expect(await givenUp(ends(), AbortSignal.abort(), 5_000)).toBe("done");
    expect(await givenUp(ends(), new AbortController().signal, 1)).toBe("done");
    await expect(givenUp(Promise.reject(new Error("its own")), AbortSignal.abort(), 5_000)).rejects.toThrow("its own");
  });
});
