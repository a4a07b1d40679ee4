import { createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../../servers/model-server.ts";
import { forgeHere } from "../../cli/forge-here.ts";
import { built, cleanUp, emptyFolder, forge } from "../forge.ts";

beforeAll(built);
afterAll(cleanUp);

async function listening(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // a listening TCP server has one

/** Takes connections and sends nothing, as one whose packets are dropped looks from here. */
async function silent(): Promise<string> {
  const server = await listening();
  onTestFinished(() => void server.close());
  return addressOf(server);
}
async function refusing(): Promise<string> {
  const server = await listening();
  const address = addressOf(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}
const servers = [
  ["refuses the connection", refusing, "it refuses the connection"],
  ["sends nothing", silent, "nothing came back within 2.5 s"],
] as const;

describe.each(servers)("a model server that %s", (_what, start, why) => {
  it("is named by forge run while it is tried again, whatever sets its address", async () => {
    const env = { LOCAL_BASE_URL: await start() };
    const { stderr } = await forge(["run", "say hi", "--model", "local/mine", "--yes"], {
      cwd: emptyFolder(),
      env,
      started: (child) => child.stderr?.on("data", (piece: Buffer) => piece.toString().includes("is tried up to") && child.kill("SIGINT")),
    });
    expect(stderr).toContain(`The model server of local/mine at ${env.LOCAL_BASE_URL} does not respond (${why}).`);
    expect(stderr).toContain("It is tried up to 6 times, with longer waits between; Ctrl-C ends the run.");
  });

  it("ends a bench and an analysis before anything is begun: one sentence, exit code 3", async () => {
    const env = { LOCAL_BASE_URL: await start() };
    const cwd = emptyFolder();
    const [bench, analyze] = await Promise.all([
      forgeHere(["bench", "demo", "--config", "bare", "--model", "local/mine", "--sandbox", "local-unsafe", "--out", "job"], { cwd, env }),
      forgeHere(["analyze", "job", "--model", "local/mine", "--yes"], { cwd, env }),
    ]);
    expect([bench.code, bench.stderr]).toEqual([
      3,
      expect.stringContaining(`does not respond (${why}). Start it, or give another address`),
    ]);
    expect([analyze.code, analyze.stderr]).toEqual([3, expect.stringContaining(`does not respond (${why}). Start it`)]);
  });
});

it("a dead server does not keep a finished job from its result", async () => {
  const server = await startModelServer({ always: () => ({ text: "done" }) });
  const cwd = emptyFolder();
  const env = { LOCAL_BASE_URL: server.url };
  const command = ["bench", "demo", "--filter", "greet", "--config", "bare", "--model", "local/mine", "--sandbox", "local-unsafe"];
  const first = await forgeHere([...command, "--out", "job"], { cwd, env });
  await server.close();
  const again = await forgeHere([...command, "--out", "job"], { cwd, env });
  expect([first.code, again.code], again.stderr).toEqual([0, 0]);
  const table = ({ stdout }: { readonly stdout: string }): string => stdout.replace(/^.*\n/, ""); // its first line has how long the command took
  expect(table(again)).toBe(table(first));
  const other = await forgeHere([...command, "--out", "job", "--repeats", "2"], { cwd, env });
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining("does not respond")]);
});

it("a cost limit without a price is refused by each command, naming --price in,out", async () => {
  const cwd = emptyFolder();
  const to = ["--model", "local/mine", "--base-url", "https://models.example.com/v1", "--max-cost", "1"];
  for (const command of [
    ["run", "say hi"],
    ["analyze", "job"],
  ]) {
    const { code, stderr } = await forgeHere([...command, ...to], { cwd });
    expect([command[0], code, stderr]).toEqual([
      command[0],
      2,
      expect.stringContaining("give it with --price in,out (USD per million tokens)"),
    ]);
  }
});
