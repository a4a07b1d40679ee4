import { stripVTControlCharacters } from "node:util";
import { expect, it, vi } from "vitest";
import { textFront } from "../../../cli/run/run-front.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";

function saidOf(d: object): string {
  const said: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((line) => said.push(String(line)) > 0);
  try {
    textFront().event({ t: "model.attempt", lane: "main", n: 1, d } as unknown as RunEvent); // what the front reads of one
  } finally {
    spy.mockRestore();
  }
  return stripVTControlCharacters(said.join(""));
}

it("says of a server that cannot be reached which try it was and when the next comes", () => {
  const dead = { kind: "connection", message: "local/qwen cannot be reached: ECONNREFUSED." };
  expect(saidOf({ ...dead, attempt: 0 })).toBe(
    "model: local/qwen cannot be reached: ECONNREFUSED. (try 1 of 6, the next within 1.0 s; Ctrl-C ends the run)\n",
  );
  expect(saidOf({ ...dead, attempt: 3 })).toContain("(try 4 of 6, the next within 8.0 s;");
  expect(saidOf({ ...dead, attempt: 5 })).toContain("(try 6 of 6)");
});

it("says how long a provider asked to wait, and nothing of what is not tried again", () => {
  expect(saidOf({ kind: "rate_limit", message: "Slower.", attempt: 0, retryAfterMs: 20_000 })).toContain("the next within 20 s");
  expect(saidOf({ kind: "auth", message: "Wrong key.", attempt: 0 })).toBe("");
});
