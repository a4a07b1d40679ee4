import { afterEach, expect, it, vi } from "vitest";
import { dockerHostsOf } from "../../../cli/bench/docker-hosts-of.ts";
import { runBench } from "../../../cli/bench/run-bench.ts";
import { ConfigError } from "../../../harness/errors.ts";

afterEach(() => vi.restoreAllMocks());

it("--docker-host beside a sandbox that runs on no daemon is refused", async () => {
  const asked = dockerHostsOf(["unix:///var/run/docker.sock"], "bubblewrap");
  await expect(asked).rejects.toThrow(ConfigError);
  await expect(asked).rejects.toThrow("--docker-host: --sandbox bubblewrap runs on no daemon; leave one of the two out.");
});

it("of several daemons those that do not answer are told", async () => {
  let said = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const hosts = ["unix:///not/there/a.sock", "unix:///not/there/b.sock"];
  expect(await dockerHostsOf(hosts, undefined)).toEqual(hosts);
  for (const host of hosts) expect(said).toContain(`warning: the Docker daemon at ${host} does not respond; the job runs on the others. `);
});

it("a daemon that was named and does not answer is not replaced by another kind of sandbox", async () => {
  const bench = runBench("demo", { agent: "oracle", repeats: 1, config: ["bare"], dockerHost: ["unix:///not/there.sock"], json: true });
  await expect(bench).rejects.toThrow(/^No sandbox can run these tasks\. docker: /);
});
