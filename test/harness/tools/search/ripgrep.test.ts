import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDockerProvider } from "../../../../harness/sandbox/docker/docker-provider.ts";
import { needs } from "../../../needs.ts";
import { bench } from "../call-tool.ts";

describe.skipIf(needs("docker"))("search in a container that has no ripgrep", () => {
  it("brings its own on first use, outside the workdir", async () => {
    const prepared = await createDockerProvider().prepare({ name: "tools", folder: join(import.meta.dirname, "../fixture") });
    const sandbox = await prepared.create({ labels: { job: `ripgrep-${process.pid}`, trial: "1" } });
    try {
      await sandbox.exec("rm -f $(command -v rg); printf 'needle\\n' > a.txt; printf '*.log\\n' > .ignore; echo needle > b.log");
      const b = bench(sandbox);
      const reply = await b.call("grep", { pattern: "needle" });
      expect(reply.text).toBe("<tool_output>\na.txt:1:needle\n</tool_output>");
      expect(new TextDecoder().decode((await sandbox.exec("/opt/forge/rg --version")).stdout)).toMatch(/^ripgrep/);
      expect((await b.call("bash", { command: "true" })).effects.edited).toEqual([]);
    } finally {
      await sandbox.close();
    }
  });
});
