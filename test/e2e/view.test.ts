import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgeHere } from "../cli/forge-here.ts";
import { built, cleanUp, emptyFolder, forge, listing, put, type Answer } from "./forge.ts";

let folder: string;
beforeAll(async () => {
  await built();
  folder = emptyFolder();
  const made = await forgeHere(["bench", "demo", "--config", "bare", "--filter", "greet", "--model", "sim/default", "--sandbox", "local", "--repeats", "2", "--out", "jobs/one"], { cwd: folder }); // prettier-ignore
  if (made.code !== 0) throw new Error(made.stderr);
}, 240_000);
afterAll(cleanUp);

/** Starts the viewer, asks it as its page would, and ends it with Ctrl-C. */
async function viewed(
  args: readonly string[],
  act: (url: URL, ask: (path: string, o?: RequestInit) => Promise<Response>) => Promise<void>,
): Promise<Answer> {
  let acted: Promise<void> | undefined;
  const answer = await forge(["view", ...args, "--json"], {
    cwd: folder,
    started(child: ChildProcess) {
      acted = (async () => {
        try {
          if (!child.stdout) throw new Error("no output");
          const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
          const { value: line } = (await lines.next()) as { value: string | undefined }; // undefined: it ended without one
          if (line === undefined) throw new Error("forge view ended without an address");
          const url = new URL((JSON.parse(line) as { url: string }).url);
          const authorization = `Bearer ${url.hash.replace("#token=", "")}`;
          await act(url, (path, o = {}) => fetch(`${url.origin}/api/${path}`, { ...o, headers: { authorization } }));
        } finally {
          child.kill("SIGINT");
        }
      })();
      acted.catch(() => undefined); // waited for below
    },
  });
  await acted;
  return answer;
}

describe("forge view", () => {
  it("serves its pages and the job to whoever has the printed address, until Ctrl-C, which is no error", async () => {
    const before = listing(folder);
    const { code, stdout, stderr } = await viewed([], async (url, ask) => {
      expect([url.hostname, url.pathname]).toEqual(["127.0.0.1", "/"]);
      const page = await (await fetch(url)).text();
      const [, script = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
      expect((await fetch(url.origin + script)).headers.get("content-type")).toMatch(/^text\/javascript/);
      expect(await (await ask("jobs")).json()).toMatchObject({ jobs: [{ place: "jobs/one", recorded: 2, status: "finished" }] });
      expect((await fetch(`${url.origin}/api/jobs`)).status).toBe(401);
    });
    expect({ code, stderr, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 1 });
    expect(listing(folder)).toEqual(before);
  });

  it("opens at the run and the event that were named", async () => {
    const run = "jobs/one/trials/greet/bare/1/attempt-1";
    await viewed([`${run}:3`], async (url, ask) => {
      expect(url.pathname).toBe(`/run/${run}%3A3`);
      expect(await (await ask(`run?at=${run}`)).json()).toMatchObject({ title: "greet", job: null });
      expect((await ask("job?at=jobs/one")).status).toBe(404);
    });
    await viewed(["jobs/one"], async (url, ask) => {
      expect(url.pathname).toBe("/job/jobs/one");
      expect(await (await ask(`run?at=${run}`)).json()).toMatchObject({ job: "jobs/one", taskName: "greet" });
    });
  });

  it("answers what a configuration would have done, from a process of its own, and why it cannot", async () => {
    put(folder, "mine.yaml", "extends: bare\nmiddleware: [loop-detection]\n");
    await viewed([], async (_url, ask) => {
      const answer = async (config: string) => {
        const asked = (await (await ask("blast", { method: "POST", body: JSON.stringify({ config, at: ["jobs/one"] }) })).json()) as {
          id: string;
        };
        for (;;) {
          const now = (await (await ask(`blast?id=${asked.id}`)).json()) as { state: string; says: string; asked: number; result: unknown };
          if (now.state !== "running") return now;
          await wait(50);
        }
      };
      expect(await answer("mine.yaml")).toMatchObject({ state: "done", asked: 2, result: { rows: [["loop-detection", expect.anything(), expect.anything(), expect.anything(), expect.anything(), expect.anything(), expect.anything(), expect.anything(), expect.anything()]] } }); // prettier-ignore
      const failed = await answer("nothing.yaml");
      expect(failed.state).toBe("failed");
      expect(failed.says).toMatch(/nothing\.yaml.*[.)]$/);
    });
  });

  it("refuses what it cannot show with a finished sentence", async () => {
    const empty = emptyFolder();
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await forgeHere(["view", "--no-open", ...args], { cwd: empty });
      expect(stdout).toBe("");
      return [code, stderr];
    };
    expect(await said()).toEqual([3, expect.stringMatching(/^error: There is neither jobs nor \.forge\/runs in this folder.*\.\n$/)]);
    expect(await said("nothing")).toEqual([3, expect.stringMatching(/^error: There is no job "nothing".*\.\n$/)]);
    expect(await said("--port", "70000")).toEqual([
      2,
      expect.stringMatching(/--port: expected a whole number from 0 to 65535, got "70000"/),
    ]);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo; // a listening TCP server has one
    const { code, stderr } = await forge(["view", "--no-open", folder, "--port", String(port)], { cwd: empty });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: --port \d+: the port is in use.*\.\n$/)]);
    taken.close();
  });
});
