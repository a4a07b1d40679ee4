import { describe, expect, it } from "vitest";
import { isPaid } from "../../../../harness/models/providers/is-paid.ts";

const asked = (name: string, baseUrl?: string, env: Record<string, string> = {}): boolean =>
  isPaid({ name, ...(baseUrl === undefined ? {} : { baseUrl }) }, { provider: name.split("/")[0] ?? "" }, env);

describe("a model", () => {
  it("is paid for wherever its server is somebody else's, also where its price is not known", () => {
    expect(asked("openai/gpt-unheard-of")).toBe(true);
    expect(asked("openrouter/any/model")).toBe(true);
    expect(asked("local/any", "https://api.example.com/v1")).toBe(true);
    expect(asked("ollama/any", undefined, { OLLAMA_BASE_URL: "https://8.8.8.8/v1" })).toBe(true);
    expect(asked("local/any", "no address")).toBe(true);
  });

  it("is free on this machine, in a private network, and where nobody is asked", () => {
    for (const at of [
      "http://127.0.0.1:8081/v1",
      "http://localhost/v1",
      "http://[::1]:1/v1",
      "http://192.168.1.7/v1",
      "http://gpu-box:8000/v1",
    ])
      expect(asked("openai/any", at), at).toBe(false);
    expect(asked("ollama/any")).toBe(false);
    expect(asked("local/any", undefined, { LOCAL_BASE_URL: "http://10.1.2.3/v1" })).toBe(false);
    expect(isPaid({ name: "sim/default" }, { provider: "sim", simulated: true }, {})).toBe(false);
    expect(isPaid({ name: "any" }, { provider: "scripted" }, {})).toBe(false);
  });
});
