import { describe, expect, it } from "vitest";
import { textOf, type Message } from "../../../../harness/contract/messages.ts";
import type { ModelRequest } from "../../../../harness/contract/ports.ts";
import { draftFile, failingCommand, missingToolCommand } from "../../../../harness/models/simulated/play/lines.ts";
import { converse, editNudge, firstSolved, model, plan, seedWith, tool } from "./conversation.ts";

describe("each fault", () => {
  it("skips-check takes the slip, checks nothing, and does the plan when told that nothing was checked", async () => {
    const seed = seedWith("skips-check");
    const run = await converse(model(seed));
    expect(run.commands).toEqual(["ls", "echo bad > out/report.txt"]);
    expect(await mends(seed, "No check was run after your last edit.")).toBe(true);
  });

  it("stops-early announces a step, makes no call, and goes on when told", async () => {
    const seed = seedWith("stops-early");
    const run = await converse(model(seed));
    expect(textOf(run.messages.at(-1)?.content ?? [])).toMatch(/Next I will/);
    expect(run.commands.length).toBeGreaterThan(0);
    expect(run.solved).toBe(false);
    expect(await mends(seed, "You ended on an intention: the work is not done.")).toBe(true);
  });

  it("repeats-failing-call makes one call again and again, gives up, and stops when its call is refused", async () => {
    const seed = seedWith("repeats-failing-call");
    const run = await converse(model(seed));
    expect(run.commands.filter((command) => command === failingCommand).length).toBeGreaterThanOrEqual(6);
    expect(run.solved).toBe(false);
    const refused = await converse(model(seed), {
      deny: (_c, times) => (times >= 4 ? `Refused: the same call failed ${times} times.` : undefined),
    });
    expect(refused.solved).toBe(true);
  });

  it("edits-one-file-again-and-again rewrites a draft, and takes it away when nudged", async () => {
    const seed = seedWith("edits-one-file-again-and-again");
    const run = await converse(model(seed));
    expect(run.commands.filter((command) => command.includes(draftFile)).length).toBeGreaterThanOrEqual(13);
    const nudged = await firstSolved((wording) => converse(model(seed), { nudge: editNudge(wording) }));
    expect(nudged?.commands ?? []).toContain(`rm -f ${draftFile}`);
  });

  it("prints-call writes a call into a fence; where the harness carries it out, it goes on as if it had called", async () => {
    const seed = seedWith("prints-call");
    const run = await converse(model(seed));
    const last = textOf(run.messages.at(-1)?.content ?? []);
    expect(last).toMatch(/```json\n[\s\S]*"name": "bash"/);
    const printed = run.messages.slice(0, -1);
    const repaired: Message = { role: "tool", callId: "repaired", name: "bash", status: "ok", content: [{ type: "text", text: "output" }] };
    const request: ModelRequest = {
      system: [],
      tools: [tool("bash")],
      params: { maxOutputTokens: 1000 },
      messages: [...printed, ...run.messages.slice(-1), repaired],
    };
    const next = await model(seed).call(request, { place: { lane: "main", ordinal: 0, attempt: 0 }, signal: new AbortController().signal });
    const following = plan.steps
      .flatMap((step) => step.calls.map((call) => String(call.args["command"])))
      .find((command) => !run.commands.includes(command) && !last.includes(command));
    expect(next.calls[0]?.args["command"]).toBe(following);
    expect(await mends(seed, "You printed a call and called nothing.")).toBe(true);
  });

  it("assumes-missing-tool calls a program that is not there, unless it was told what is", async () => {
    const seed = seedWith("assumes-missing-tool");
    const run = await converse(model(seed));
    expect(run.commands).toContain(missingToolCommand);
    expect(run.solved).toBe(false);
    const told = await Promise.all(
      Array.from({ length: 40 }, (_, i) => converse(model(seed), { context: [`Installed: git\nNot installed: pip, program${i}`] })),
    );
    const prevented = told.filter((each) => each.solved).length / told.length;
    expect(prevented).toBeGreaterThan(0.35);
    expect(prevented).toBeLessThan(0.85);
  });

  it("claims-unwritten-file names a file it did not write, and writes it when told that it is not there", async () => {
    const seed = seedWith("claims-unwritten-file");
    const run = await converse(model(seed));
    expect(run.commands.join()).not.toContain("report.txt");
    expect(textOf(run.messages.at(-1)?.content ?? [])).toContain("I have written out/report.txt");
    expect(await mends(seed, "out/report.txt does not exist.")).toBe(true);
  });

  /** Whether one of ten wordings of a fact brings the run to its right end. */
  async function mends(seed: number, fact: string): Promise<boolean> {
    const told = (wording: number) => converse(model(seed), { finish: (n) => (n === 0 ? `(${wording}) ${fact}` : undefined) });
    return (await firstSolved(told)) !== undefined;
  }
});
