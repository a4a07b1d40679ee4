import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxRewardBytes, readRewards } from "../../../../evals/trial/verify/read-rewards.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const fromJson = (text: string) => readRewards({ json: bytes(text), txt: undefined });
const fromTxt = (text: string) => readRewards({ json: undefined, txt: bytes(text) });

describe("a verifier's reward", () => {
  it("is the number in reward.txt", () => {
    expect(fromTxt("1\n")).toEqual({ type: "rewards", rewards: { reward: 1 }, score: 1 });
    expect(fromTxt(" 0.25 ")).toMatchObject({ score: 0.25 });
    expect(fromTxt("-1e-3")).toMatchObject({ score: -0.001 });
  });

  it("is the one named reward in reward.json, else the mean of all", () => {
    expect(fromJson('{"reward": 0.5, "style": 1}')).toEqual({ type: "rewards", rewards: { reward: 0.5, style: 1 }, score: 0.5 });
    expect(fromJson('{"accuracy": 1}')).toMatchObject({ score: 1 });
    expect(fromJson('{"a": 1, "b": 0}')).toEqual({ type: "rewards", rewards: { a: 1, b: 0 }, score: 0.5 });
    expect(fromJson(JSON.stringify(Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`r${i}`, 1]))))).toMatchObject({ score: 1 });
    expect(fromJson('{"a": 1e308, "b": 1e308}')).toMatchObject({ score: 1e308 });
    expect(fromJson('{"reward": true, "b": false}')).toEqual({ type: "rewards", rewards: { reward: 1, b: 0 }, score: 1 });
  });

  it("in reward.json wins, and a broken reward.json is not excused by a good reward.txt", () => {
    expect(readRewards({ json: bytes('{"reward": 0}'), txt: bytes("1") })).toMatchObject({ score: 0 });
    expect(readRewards({ json: bytes("{"), txt: bytes("1") })).toMatchObject({ type: "unreadable" });
  });

  it("that is missing says so", () => {
    expect(readRewards({ json: undefined, txt: undefined })).toMatchObject({ type: "unreadable", why: expect.stringContaining("neither") });
  });

  it.each(["", "NaN", "Infinity", "1e999", "0x1", "1 1", "true", "one", "1,0"])("in reward.txt is refused when it is %j", (text) => {
    expect(fromTxt(text).type).toBe("unreadable");
  });

  it.each([
    "",
    "1",
    "null",
    "[1]",
    "{}",
    '{"reward": "1"}',
    '{"reward": null}',
    '{"reward": NaN}',
    '{"reward": 1e999}',
    '{"reward": {"value": 1}}',
    '{"reward": [1]}',
    '{"reward": 1, "x": "1"}',
    '{"__proto__": 1}',
    '{"reward": 1} trailing',
  ])("in reward.json is refused when it is %j", (text) => {
    expect(fromJson(text).type).toBe("unreadable");
  });

  it("of hostile bytes or size is refused", () => {
    expect(readRewards({ json: undefined, txt: new Uint8Array(maxRewardBytes + 1).fill(0x31) })).toMatchObject({ type: "unreadable" });
    expect(readRewards({ json: undefined, txt: new Uint8Array([0x31, 0xff]) })).toMatchObject({ type: "unreadable" });
    expect(fromJson(JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`r${i}`, 1])))).type).toBe("unreadable");
  });

  it("never throws, and what it reads is finite, whatever the bytes", () => {
    const scores = fc.tuple(fc.uint8Array({ maxLength: 200 }), fc.json(), fc.boolean()).map(([raw, json, useJson]) => {
      const reading = useJson ? fromJson(json) : readRewards({ json: raw, txt: raw });
      return reading.type === "rewards" ? [reading.score, ...Object.values(reading.rewards)] : [];
    });
    fc.assert(fc.property(scores, (read) => read.every(Number.isFinite)));
    expect(fc.sample(scores, 2000).flat().length).toBeGreaterThan(0);
  });
});
