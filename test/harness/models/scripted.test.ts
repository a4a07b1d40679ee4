import { describe, expect, it } from "vitest";
import type { ModelPlace, ModelRequest } from "../../../harness/contract/ports.ts";
import { userMessage } from "../../../harness/contract/messages.ts";
import { ModelError } from "../../../harness/contract/model-error.ts";
import { createNopModel, createOracleModel } from "../../../harness/models/scripted/baseline-models.ts";
import { bash } from "../../../harness/tools/shell/bash.ts";
import { createScriptedModel } from "../../../harness/models/scripted/scripted-model.ts";

const request: ModelRequest = { system: [], messages: [userMessage("do it")], tools: [], params: { maxOutputTokens: 100 } };
const at = (ordinal: number, o: Partial<ModelPlace> = {}) => ({
  place: { lane: "main", ordinal, attempt: 0, ...o },
  signal: new AbortController().signal,
});

describe("a scripted model", () => {
  it("plays its replies by their place, whatever order they are asked in", async () => {
    const model = createScriptedModel([{ text: "one", calls: [{ name: "bash", args: { command: "ls" } }] }, { text: "two" }]);
    expect((await model.call(request, at(1))).message.content).toEqual([{ type: "text", text: "two" }]);
    const first = await model.call(request, at(0));
    expect(first.stop).toBe("calls");
    expect(first.message.content).toEqual([
      { type: "text", text: "one" },
      { type: "call", id: first.calls[0]?.id, name: "bash", args: { command: "ls" } },
    ]);
  });

  it("gives each lane its own script", async () => {
    const model = createScriptedModel([{ text: "main" }], { lanes: { "main/1.1": [{ text: "sub" }] } });
    expect((await model.call(request, at(0, { lane: "main/1.1" }))).message.content).toEqual([{ type: "text", text: "sub" }]);
  });

  it("fails the tries it was told to fail, then answers", async () => {
    const model = createScriptedModel([{ text: "ok", failures: [new ModelError("overloaded", "busy")] }]);
    await expect(model.call(request, at(0))).rejects.toThrow("busy");
    expect((await model.call(request, at(0, { attempt: 1 }))).stop).toBe("end");
  });

  it("says in a sentence that its script is over", async () => {
    await expect(createScriptedModel([]).call(request, at(0))).rejects.toThrow(/has 0 replies, and reply 1 was requested/);
  });

  it("names calls in the reply alone under the text protocol", async () => {
    const model = createScriptedModel([{ text: "```bash\nls\n```", calls: [{ name: "bash", args: { command: "ls" } }] }], {
      protocol: "text",
    });
    const reply = await model.call(request, at(0));
    expect(reply.calls).toHaveLength(1);
    expect(reply.message.content).toHaveLength(1);
  });

  it("throws the abort reason when its signal is aborted", async () => {
    const signal = AbortSignal.abort(new Error("stop now"));
    await expect(createNopModel().call(request, { ...at(0), signal })).rejects.toThrow("stop now");
  });
});

describe("the oracle and nop agents", () => {
  it("oracle makes one bash call with the agent's whole time limit, then ends", async () => {
    const model = createOracleModel({ timeoutMs: 900_000 });
    const reply = await model.call(request, at(0));
    expect(reply.calls.map((call) => call.args)).toEqual([
      { command: 'DEBIAN_FRONTEND=noninteractive bash "${FORGE_SOLUTION:-/solution}/solve.sh"', timeoutMs: 900_000 },
    ]);
    expect((await model.call(request, at(1))).stop).toBe("end");
  });

  it("oracle asks for whole milliseconds, whatever seconds the task states, and for no more than a timer takes", async () => {
    const asked = async (timeoutMs: number) => (await createOracleModel({ timeoutMs }).call(request, at(0))).calls[0]?.args;
    for (const [stated, timeoutMs] of [
      [1.001 * 1000, 1001],
      [0.2, 1],
      [3e6 * 1000, 2 ** 31 - 1],
    ] as const) {
      expect(await asked(stated)).toMatchObject({ timeoutMs });
      expect(bash({ maxTimeoutMs: stated }).parameters.safeParse(await asked(stated)).success, String(stated)).toBe(true);
    }
  });

  it("nop ends at once and costs nothing", async () => {
    const reply = await createNopModel().call(request, at(0));
    expect(reply).toMatchObject({ calls: [], stop: "end", costUsd: 0 });
  });
});
