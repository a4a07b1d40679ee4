import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { lineShell } from "../../../cli/trial/line-shell.ts";
import { openTrial } from "../../../evals/reopen/open-trial.ts";
import { replayTools } from "../../../cli/replay/replay-tools.ts";
import { trialShell } from "../../../cli/trial/trial-shell.ts";
import { bench } from "../../../evals/bench/bench.ts";
import { baseImage } from "../../../harness/sandbox/docker/image/base-image.ts";
import { createDockerProvider } from "../../../harness/sandbox/docker/docker-provider.ts";
import { createInPlaceSandbox } from "../../../harness/sandbox/in-place-sandbox.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { recordedCalls } from "../../../traces/replay/tools/re-execute.ts";
import { benchPorts, fixtureConfig, fixtureRequest, fixtureTask, removeScratch, scratch } from "../../evals/bench-fixture.ts";
import { needs, sampled } from "../../needs.ts";
import { writeFiles } from "../../tasks/write-task.ts";
import { toolSchemas } from "../../../harness/tools/tool-schemas.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }); // real sandboxes on a machine that may be busy

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
/** The command as in a terminal's place: what it writes is caught. */
async function shell(folder: string, words: string[], flags: Parameters<typeof trialShell>[2] = {}): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((chunk) => {
      said[name] += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      return true;
    }),
  );
  try {
    return { code: await trialShell(folder, words, flags), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe("forge trial shell", () => {
  let job = "";
  let trial = "";
  let steps = 0;
  beforeAll(async () => {
    const { tasks } = await loadSuite("demo");
    const task = tasks.find((one) => one.plan) ?? tasks[0];
    if (!task) throw new Error("the demo suite is empty");
    const config = fixtureConfig("plain", { tools: toolSchemas(["bash", "read", "edit", "write"]) });
    const request = await fixtureRequest([task], {
      agent: "configured",
      configurations: [config],
      sandbox: "local",
      asked: { suite: "demo" },
    });
    job = (await bench(request, await benchPorts())).folder;
    trial = join(job, "trials", task.name, "plain", "1");
    steps = recordedCalls((await openTrial(trial)).events).length;
    if (steps < 2) throw new Error("these tests need a trial of several calls");
  });

  it("shows the workdir as the agent left it, and says that every call gave what was recorded", async () => {
    const { code, stderr, stdout } = await shell(trial, ["pwd; ls"]);
    expect(code, stderr).toBe(0);
    expect(stdout).not.toBe("");
    expect(stderr).toContain(`${steps} recorded calls carried out again, all as recorded.`);
  });

  it("stops behind the step that was asked for", async () => {
    expect((await shell(trial, ["true"], { step: 1 })).stderr).toContain("1 recorded call carried out again");
  });

  it("answers with the command's exit code, and takes several words as a program with its arguments", async () => {
    expect(await shell(trial, ["exit 7"], { step: 0 })).toMatchObject({ code: 7 });
    expect(await shell(trial, ["printf", "%s|", "a b", "$HOME", "'"], { step: 0 })).toMatchObject({ code: 0, stdout: "a b|$HOME|'|" });
  });

  it("refuses a step beyond the last, a folder that is no trial, and no command without a terminal", async () => {
    await expect(trialShell(trial, ["true"], { step: steps + 1 })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(`0 to ${steps}`),
    });
    await expect(trialShell(job, ["true"], {})).rejects.toMatchObject({ exitCode: 3 });
    if (!process.stdin.isTTY)
      await expect(trialShell(trial, [], {})).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining("needs a terminal") });
  });

  it("tells where a call gives something else than it did, and has the task's own state at step 0", async () => {
    const task = await fixtureTask();
    const agent = { name: "dice", command: "echo same; cat /proc/sys/kernel/random/uuid; echo done > out.txt" };
    const request = await fixtureRequest([task], { agent, sandbox: "local" });
    const { folder } = await bench(request, await benchPorts());
    const { stderr, stdout, code } = await shell(join(folder, "trials", task.name, "plain", "1"), ["cat out.txt"], {
      task: task.folder,
      sandbox: "local-unsafe",
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
    expect(stderr).toMatch(/step 1, bash .*another result than recorded\n[^]*-[0-9a-f-]{36}\n\+[0-9a-f-]{36}\n/);
    expect(stderr).toContain("1 recorded call carried out again, 1 with another result.");
    const before = { task: task.folder, sandbox: "local-unsafe", step: 0 } as const;
    expect((await shell(join(folder, "trials", task.name, "plain", "1"), ["ls"], before)).stdout).toBe("in.txt\n");
    await writeFile(join(task.folder, "tests/test.sh"), "#!/bin/bash\nexit 0\n");
    expect(
      (await shell(join(folder, "trials", task.name, "plain", "1"), ["true"], { task: task.folder, sandbox: "local-unsafe" })).stderr,
    ).toContain("digest differs");
  });
});

for (const mode of sampled<"official" | "hardened">(["official", "hardened"], ["hardened"]))
  describe.skipIf(needs("bubblewrap"))(`forge trial shell, of a task in steps, ${mode}`, () => {
    let trial = "";
    let flags = {};
    beforeAll(async () => {
      const step = (name: string, solve: string) => ({
        [`steps/${name}/instruction.md`]: "Go on.\n",
        [`steps/${name}/solution/solve.sh`]: solve,
        [`steps/${name}/tests/test.sh`]: "#!/bin/bash\nmkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt\n",
      });
      const folder = await writeFiles(join(await scratch(), "by-steps"), {
        "task.toml": '[metadata.forge]\nlocal = true\n[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n[[steps]]\nname = "three"\n',
        "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\n",
        ...step("one", "echo 1 >> said; setsid sleep 4343 >/dev/null 2>&1 &"),
        ...step("two", "cat said brought > both; echo 2 >> said; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'slee[p] 4343'; true"),
        "steps/two/workdir/brought": "brought\n",
        "steps/two/workdir/setup.sh": "echo set up >> said\n",
        ...step("three", "echo 3 >> said"),
      });
      const asked = { suite: folder };
      const request = await fixtureRequest([await loadTask(folder)], { sandbox: "bubblewrap", mode, asked });
      const job = (await bench(request, await benchPorts())).folder;
      trial = join(job, "trials/by-steps/plain/1");
      flags = { task: folder };
    });
    const said = async (at: string, step?: number): Promise<string> => {
      const { stdout, stderr, code } = await shell(at, ["cat said both 2>/dev/null; true"], {
        ...flags,
        ...(step === undefined ? {} : { step }),
      });
      expect(code, stderr).toBe(0);
      expect(stderr).not.toContain("another result");
      return stdout;
    };

    it("shows what all steps left, and the state after a call counted through them", async () => {
      const two = "1\nset up\nbrought\n";
      expect(await said(trial)).toBe(`1\nset up\n2\n3\n${two}`);
      expect([await said(trial, 0), await said(trial, 1), await said(trial, 2)]).toEqual(["", "1\n", `1\nset up\n2\n${two}`]);
      expect(await said(join(trial, "attempt-1/steps/two"))).toBe(`1\nset up\n2\n${two}`);
      await expect(trialShell(trial, ["true"], { ...flags, step: 4 })).rejects.toThrow(
        "--step 4: the trial has 3 recorded calls; choose 0 to 3.",
      );
    });

    it("is what replays that carry calls out begin with, and no step is held to the workspace of the last", async () => {
      const heard = vi.spyOn(process.stdout, "write").mockReturnValue(true);
      const code = await replayTools([trial], { json: true });
      const said = heard.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown);
      heard.mockRestore();
      const run = { verdict: "same", exact: 1, leftOut: 0, workspace: null };
      expect(said).toMatchObject([
        { ...run, notes: expect.arrayContaining(["the recorded workspace is of the last step"]) as unknown },
        run,
        run,
      ]);
      expect(code).toBe(0);
    });
  });

describe.skipIf(needs("docker"))("forge trial shell, in a container", () => {
  it("is the agent's user, with the agent's network and the folders that it had for logs", async () => {
    const folder = await writeFiles(join(await scratch(), "shell-as-agent"), {
      "task.toml": '[agent]\nuser = "nobody"\nnetwork_mode = "no-network"\n',
      "instruction.md": "Do it.\n",
      "environment/Dockerfile": "FROM forge-base/debian:bookworm\nWORKDIR /app\nRUN chmod 777 /app\n",
      "solution/solve.sh": "id -un > who; ls /sys/class/net > net; echo a > /logs/agent/own\n",
      "tests/test.sh": "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n",
    });
    const request = await fixtureRequest([await loadTask(folder)], { sandbox: "docker" });
    const trial = join((await bench(request, await benchPorts())).folder, "trials/shell-as-agent/plain/1");
    const words = ["cat who net; id -un; ls /sys/class/net; cat /logs/agent/own"];
    const { stdout, stderr } = await shell(trial, words, { task: folder });
    expect(stdout, stderr).toBe("nobody\nlo\nnobody\nlo\na\n");
    expect(stderr).toContain("1 recorded call carried out again, all as recorded.");
  });
});

describe("a shell of lines", () => {
  it("keeps the folder from line to line, and ends with the last command's exit code", async () => {
    const folder = await scratch();
    const sandbox = await createInPlaceSandbox(folder, { kind: "local" });
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end("mkdir -p 'a b'\ncd 'a b'\npwd\nfalse\nexit\necho never\n");
    const code = await lineShell(sandbox, new AbortController().signal, { input, output });
    await sandbox.close();
    output.end();
    const said = await text(output);
    expect(code).toBe(1);
    expect(said).toContain(`${folder}/a b\n`);
    expect(said).not.toContain("never");
  });
});

describe.skipIf(needs("docker"))("a terminal in a container", () => {
  it("is a terminal, ends with the shell's exit code, and is left when that is asked", async () => {
    const prepared = await createDockerProvider().prepare({ name: "terminal", image: baseImage });
    const trial = `terminal-${process.pid}`;
    const sandbox = await prepared.create({ labels: { job: trial, trial } });
    const containers = (): string => execFileSync("docker", ["ps", "-aq", "--filter", `label=forge.trial=${trial}`], { encoding: "utf8" });
    expect(containers()).not.toBe("");
    try {
      const [input, output] = [new PassThrough(), new PassThrough()];
      input.write("tty; stty size; exit 3\n");
      const code = await sandbox.terminal?.({
        input,
        output: Object.assign(output, { columns: 91, rows: 17 }),
        signal: new AbortController().signal,
      });
      output.end();
      const said = await text(output);
      expect(code).toBe(3);
      expect(said).toContain("/dev/pts/");
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 500);
      expect(await sandbox.terminal?.({ input: new PassThrough(), output: new PassThrough(), signal: stop.signal })).toBeNull();
    } finally {
      await sandbox.close();
    }
    expect(containers()).toBe("");
  });
});
