import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bench } from "../../../../evals/bench/bench.ts";
import { trialRecordSchema, type TrialRecord } from "../../../../evals/trial/trial-record.ts";
import { endOthers } from "../../../../evals/trial/verify/end-others.ts";
import { createInPlaceSandbox } from "../../../../harness/sandbox/in-place-sandbox.ts";
import type { Task } from "../../../../tasks/task.ts";
import { needs } from "../../../needs.ts";
import { benchPorts, fixtureRequest, fixtureTask, removeScratch, scratch } from "../../bench-fixture.ts";

afterAll(removeScratch);

interface Restored {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

async function trial(task: Task): Promise<{ record: TrialRecord; restored: Restored | undefined }> {
  const result = await bench(await fixtureRequest([task], { sandbox: "docker" }), await benchPorts(), { retryMs: 1 });
  const record = trialRecordSchema.parse(
    JSON.parse(await readFile(join(result.folder, "trials", task.name, "plain", "1", "result.json"), "utf8")),
  );
  const restored = await readFile(join(result.folder, record.trace, "verifier", "restored.json"), "utf8").catch(() => "null");
  return { record, restored: JSON.parse(restored) ?? undefined };
}

const reward = `mkdir -p /logs/verifier; [ "$ok" = 1 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt`;

describe.skipIf(needs("docker"))("verification of a snapshot", () => {
  it("sees what the agent did anywhere, with owners, and none of its processes or programs in the system's name", async () => {
    const test = `
ok=0; [ "$(stat -c %u /srv/data/mine)" = 33 ] && [ "$(mytool)" = tool ] && [ "$(command -v cmp)" = /usr/bin/cmp ] && ! pgrep -f keep-running && ok=1
${reward}`;
    const solve = `mkdir /srv/data; echo x > /srv/data/mine; chown 33 /srv/data/mine
printf '#!/bin/sh\\necho tool\\n' > /usr/local/bin/mytool; printf '#!/bin/sh\\nexit 0\\n' > /usr/local/bin/cmp; chmod 755 /usr/local/bin/*
setsid sh -c 'while :; do echo keep-running > /dev/null; sleep 1; done' >/dev/null 2>&1 &`;
    const { record, restored } = await trial(await fixtureTask({ forge: 'verify = "snapshot"', test, solve }));
    expect(record).toMatchObject({ class: "passed", rewards: { reward: 1 } });
    expect(restored?.removed).toEqual(["/solution", "/usr/local/bin/cmp"]); // the oracle brought its solution
  });
});

describe.skipIf(needs("docker"))("live verification", () => {
  const server = `import http.server
http.server.HTTPServer(("127.0.0.1", 8080), http.server.SimpleHTTPRequestHandler).serve_forever()
`;
  const test = `
ok=0; python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:8080/in.txt", timeout=5).status)' | grep -q 200 \\
  && ! pgrep -f keep-writing && ! [ -e /etc/ld.so.preload ] && ok=1
${reward}`;

  it("goes on beside the declared service, after all else was ended and the system restored", async () => {
    const solve = `(setsid python3 /app/server.py >/dev/null 2>&1 &)
(setsid sh -c 'while :; do : keep-writing; mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.json; sleep 0.05; done' >/dev/null 2>&1 &)
printf '#!/bin/sh\\nexit 0\\n' > /usr/local/bin/pgrep; chmod 755 /usr/local/bin/pgrep; echo /nowhere.so > /etc/ld.so.preload
for i in 1 2 3 4 5 6 7 8 9 10; do python3 -c 'import urllib.request; urllib.request.urlopen("http://127.0.0.1:8080/in.txt")' 2>/dev/null && break; sleep 0.5; done`;
    const forge = 'verify = "live"\nservices = ["python3 /app/server.py"]';
    const { record, restored } = await trial(await fixtureTask({ forge, test, solve, files: { "in.txt": "in\n", "server.py": server } }));
    expect(record).toMatchObject({ class: "passed", rewards: { reward: 1 } });
    expect(restored?.removed).toEqual(expect.arrayContaining(["/usr/local/bin/pgrep", "/etc/ld.so.preload", "/logs"]));
  });
});

it("live verification asks for the names of the services", async () => {
  const sandbox = await createInPlaceSandbox(await scratch(), { kind: "local", env: {} });
  const task = await fixtureTask({ forge: 'verify = "live"' });
  await expect(endOthers(task, sandbox).finally(() => sandbox.close())).rejects.toThrow('services = ["nginx"]');
});
