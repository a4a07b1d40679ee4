import { afterAll, describe, expect, it, vi } from "vitest";
import { needs } from "../../needs.ts";
import { removeScratch, scratch } from "../bench-fixture.ts";
import { scripted, tryAgents } from "./agent-fixture.ts";

afterAll(removeScratch);
vi.setConfig({ testTimeout: 240_000 });

describe.skipIf(needs("docker"))("another agent in a container", () => {
  it("reaches the gateway and nothing else, and solves its task", async () => {
    const look = `cat /proc/net/route | tail -n +2 | wc -l; (exec 3<>/dev/tcp/172.17.0.1/22) 2>/dev/null && echo "the host is reached"; python3 "$HOME/agent.py"`;
    const [trial] = await tryAgents([{ ...scripted, agent: { command: `bash -c '${look}'`, wire: "openai-chat" } }], { sandbox: "docker" });
    expect(trial?.record).toMatchObject({ class: "passed", sandbox: "docker", turns: 4 });
    expect(trial?.answer.verdict).toBe("exact");
    const note = trial?.events.find(({ t }) => t === "note");
    expect(note?.d).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^0\n(?!the host)/) });
  });

  it("is installed by a command of its own into a layer that the trial sees and cannot change", async () => {
    const install = `printf 'import sys\\nexec(open(sys.argv[1]).read())\\n' > "$FORGE_LAYER/start.py"`;
    const command = `(echo x >> "$FORGE_LAYER/start.py") 2>/dev/null && echo changed; echo "$FORGE_LAYER"; python3 "$FORGE_LAYER/start.py" "$HOME/agent.py"`;
    const [trial] = await tryAgents([{ ...scripted, agent: { command, install, wire: "openai-chat" } }], {
      sandbox: "docker",
      env: { XDG_CACHE_HOME: await scratch() },
    });
    expect(trial?.record).toMatchObject({ class: "passed", turns: 4 });
    const note = trial?.events.find(({ t }) => t === "note");
    expect(note?.d).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\/opt\/forge\/agents\/command-[0-9a-f]{12}\n(?!changed)/),
    });
  });
});
