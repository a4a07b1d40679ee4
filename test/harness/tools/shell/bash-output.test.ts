import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor } from "../../../../harness/secrets/redact-text.ts";
import type { Sandbox } from "../../../../harness/sandbox/sandbox.ts";
import { bench, type Bench } from "../call-tool.ts";
import { createHostSandbox } from "../host-sandbox.ts";

let sandbox: Sandbox;
let b: Bench;
const redact = createRedactor({ secrets: [] });
beforeEach(async () => {
  sandbox = await createHostSandbox();
  b = bench(sandbox, { redact });
});
afterEach(async () => {
  await b.tools.close();
  await sandbox.close();
});

/** Prints the parts, each after the earlier ones were asked for three times; answers all that was shown. */
async function shownOf(...parts: string[]): Promise<string> {
  const command = parts.map((part, i) => `until [ -e go${i} ]; do sleep 0.02; done; printf '%b' '${part}'; touch done${i}`).join("; ");
  await b.call("bash", { command, background: true });
  let shown = "";
  const ask = async (): Promise<void> => void (shown += (await b.call("bash_output", { id: "shell-1" })).text);
  for (const i of parts.keys()) {
    await sandbox.writeFile(`go${i}`, new Uint8Array());
    while (!(await sandbox.readFile(`done${i}`))) await sleep(20);
    for (let n = 0; n < 3; n++) await ask();
  }
  while (!shown.includes("exited with code")) await ask();
  expect(redact(shown)).toBe(shown); // the record is the same as what the model saw
  return shown;
}
const line = (of: string): string => of.repeat(64);

describe("bash_output of a secret that is printed in several goes", () => {
  it("shows no line of a private key, wherever it is cut", async () => {
    const shown = await shownOf(
      "begin\\n-----BEGIN PRIV",
      `ATE KEY-----\\n${line("A")}\\n`,
      `${line("B")}\\n`,
      `${line("C")}\\n-----END PRIVATE KEY-----\\nend\\n`,
    );
    for (const letters of ["AAAA", "BBBB", "CCCC"]) expect(shown).not.toContain(letters);
    expect(shown).toMatch(/begin\n[^]*-----END PRIVATE KEY-----\nend\n/);
  });

  it("shows no part of a token, however often it is asked for while the token is unfinished, and says that something is kept back", async () => {
    const shown = await shownOf("ready ghp_abcdefghij", "klmnopqrstuvwxyz", "0123456789\\nend");
    expect(shown).toContain("ready ");
    expect(shown).toContain("not finished");
    for (const part of ["ghp_", "abcdef", "klmnop", "012345"]) expect(shown).not.toContain(part);
    expect(shown).toMatch(/█\nend\n/);
  });

  it("shows no credential whose header came before it", async () => {
    expect(await shownOf("Authorization: Bearer ", "abcdefghij0123456789\\n")).not.toContain("abcdef");
  });

  it("shows a word of more than 4 KiB although it does not end, each byte once", async () => {
    const shown = await shownOf("é".repeat(3000), "x\\n");
    expect(shown.split("é")).toHaveLength(3001);
  });
});
