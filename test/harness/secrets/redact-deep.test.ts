import { describe, expect, it } from "vitest";
import { redactDeep } from "../../../harness/secrets/redact-json.ts";

const redact = (text: string): string => text.replaceAll("secret", "██████");

describe("redaction of recorded data", () => {
  it("spares the protocol's own ids and signed blocks, and nothing that a model or a tool names so", () => {
    const d = {
      call: { id: "secret-id", name: "bash", args: { id: "secret", opaque: ["secret"], hash: { root: "secret" } } },
      message: { content: [{ type: "thinking", text: "secret", opaque: "secret" }] },
      reply: { id: "secret" },
    };
    expect(redactDeep(d, redact)).toEqual({
      call: { id: "secret-id", name: "bash", args: { id: "██████", opaque: ["██████"], hash: { root: "██████" } } },
      message: { content: [{ type: "thinking", text: "██████", opaque: "secret" }] },
      reply: { id: "██████" },
    });
  });

  it("answers the same object where there is nothing to take out", () => {
    const d = { a: [{ b: "plain" }] };
    expect(redactDeep(d, redact)).toBe(d);
  });
});
