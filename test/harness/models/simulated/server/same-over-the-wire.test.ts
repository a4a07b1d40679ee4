import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Model } from "../../../../../harness/contract/ports.ts";
import { systemClock } from "../../../../../harness/system-ports.ts";
import { createModel } from "../../../../../harness/models/create-model.ts";
import { withTextProtocol } from "../../../../../harness/models/protocols/text.ts";
import { faults, type Fault } from "../../../../../harness/models/simulated/faults/fault-kinds.ts";
import { createSimulatedModel } from "../../../../../harness/models/simulated/simulated-model.ts";
import { converse, plan, type Talk } from "../conversation.ts";
import { startSim, type Serving } from "./served.ts";

const task = { name: "report", instruction: "Write the report.", plan };
const talk: Talk = {
  params: { maxOutputTokens: 4_096 },
  finish: (n) => (n === 0 ? "Not finished yet: no such file." : undefined),
  nudge: (_, times) => (times === 4 ? "You are repeating yourself: the same call 4 times in a row." : undefined),
};

let served: ReadonlyMap<Fault, Serving>;
beforeAll(async () => {
  const started = faults.map(async (fault): Promise<[Fault, Serving]> => [
    fault,
    await startSim({ tasks: [task], faults: [fault], profile: "default" }),
  ]);
  served = new Map(await Promise.all(started));
});
afterAll(() => Promise.all([...served.values()].map((server) => server.close())));

/** Forge's own provider in front of the served model. */
async function over(fault: Fault, wire: "openai" | "anthropic", protocol: "native" | "text", seed: number): Promise<Model> {
  const server = served.get(fault);
  if (!server) throw new Error("not served");
  const name = wire === "openai" ? `local/sim-${seed}` : `anthropic/sim-${seed}`;
  const baseUrl = wire === "openai" ? server.url : server.origin;
  return createModel({ name, baseUrl, protocol, maxOutputTokens: 4_096 }, {}, { clock: systemClock });
}
function here(fault: Fault, protocol: "native" | "text", seed: number): Model {
  const model = createSimulatedModel({ plan, task: "report", seed, protocol, faults: [fault] });
  return protocol === "text" ? withTextProtocol(model) : model;
}

describe.each([
  ["openai", "native"],
  ["anthropic", "native"],
  ["openai", "text"],
] as const)("over %s's wire, %s", (wire, protocol) => {
  // OpenAI's wire has no word for a result that is an error, so a call that failed may be taken for one that was mended.
  const same = faults.filter((fault) => wire === "anthropic" || fault !== "bad-arguments");
  it.each(same)("%s goes as it does in the same process", async (fault) => {
    const [near, far] = [await converse(here(fault, protocol, 11), talk), await converse(await over(fault, wire, protocol, 11), talk)];
    expect(far.commands).toEqual(near.commands);
    expect(far.solved).toBe(near.solved);
    expect(far.failures.map(({ kind }) => kind)).toEqual(near.failures.map(({ kind }) => kind));
    expect(far.replies.map(({ stop, served: from }) => [stop, from?.fingerprint])).toEqual(
      near.replies.map(({ stop }) => [stop, "forge-sim"]),
    );
  });
});
