import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { reportError } from "../../cli/shared/report-error.ts";
import { CannotError } from "../../harness/errors.ts";
import { said } from "./said.ts";

afterEach(() => vi.unstubAllEnvs());

it("breaks a long sentence at blanks on a terminal, and leaves it as it is elsewhere", async () => {
  const sentence = `${"The image is missing, ".repeat(6)}/${"a-long-folder/".repeat(8)}file.txt too.`;
  const reported = async (): Promise<string> => (await said(() => Promise.resolve(reportError(new CannotError(sentence), false)))).out;
  expect(await reported()).toBe(`error: ${sentence}\n`);
  const [tty, columns] = ["isTTY", "columns"].map((name) => Object.getOwnPropertyDescriptor(process.stderr, name));
  Object.defineProperties(process.stderr, { isTTY: { value: true, configurable: true }, columns: { value: 80, configurable: true } });
  onTestFinished(() => {
    Reflect.deleteProperty(process.stderr, "isTTY");
    Reflect.deleteProperty(process.stderr, "columns");
    Object.defineProperties(process.stderr, { ...(tty && { isTTY: tty }), ...(columns && { columns }) });
  });
  const lines = (await reported()).trimEnd().split("\n");
  expect(lines.join(" ")).toBe(`error: ${sentence}`);
  expect(lines.filter((line) => line.length > 80)).toEqual([expect.stringMatching(/^\S+$/)]);
});

it.each([
  ["test", "Run forge images bootstrap, or forge --help. "],
  ["exec", "Run npx forge images bootstrap, or npx forge --help. "],
])("names the commands of a cure as the user calls them (npm_command=%s)", async (called, cure) => {
  vi.stubEnv("npm_command", called);
  const kept = "See npx forge doctor, ./forge run, forge.yaml, Forge of the forge.";
  const error = new CannotError(`Run forge images bootstrap, or forge --help. ${kept}`);
  expect(await said(() => Promise.resolve(reportError(error, false)))).toMatchObject({ code: 3, out: `error: ${cure}${kept}\n` });
});
