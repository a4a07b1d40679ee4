import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResolvedAgent } from "../../harness/contract/resolved-config.ts";
import { CannotError, messageOf } from "../../harness/errors.ts";
import { sha256 } from "../../harness/hash/sha256.ts";
import type { SandboxProvider } from "../../harness/sandbox/provider.ts";
import type { SandboxKind } from "../../harness/sandbox/sandbox.ts";
import { installMs, keptLayer, lastWords, type AgentLayer } from "./install-agent.ts";

/** What an `install` command of the user's own makes is kept by its text, and apart where it ran in another kind of sandbox. */
export const commandLayer = ({ install }: ResolvedAgent, kind: SandboxKind): string =>
  `command-${sha256(JSON.stringify([install, kind])).slice(0, 12)}`;

/**
 * Runs the `install` command of an agent once, in a sandbox of its own that has a network, and keeps what it leaves in `$FORGE_LAYER`, its working folder.
 * @param inside where sandboxes see the layer, and where it is made
 * @throws CannotError in one sentence where it fails
 */
export function installCommand(
  agent: ResolvedAgent & { readonly install: string },
  o: { readonly provider: SandboxProvider; readonly inside: string; readonly env: NodeJS.ProcessEnv },
): Promise<AgentLayer> {
  const { install } = agent;
  const name = commandLayer(agent, o.provider.kind);
  return keptLayer(name, o.env, async (draft) => {
    const recipe = await mkdtemp(join(tmpdir(), "forge-layer-"));
    try {
      await writeFile(join(recipe, "Dockerfile"), `FROM forge-base/debian:bookworm\nWORKDIR ${o.inside}\n`);
      const prepared = await o.provider.prepare({ name: "agent-layer", folder: recipe });
      const sandbox = await prepared.create({ network: true, labels: { job: "agent-layer", trial: name } });
      try {
        const env = { FORGE_LAYER: sandbox.workdir };
        const ended = await sandbox.exec(install, { env, timeoutMs: installMs, maxBytes: 64 * 1024 });
        const said = Buffer.from(ended.stderr.length > 0 ? ended.stderr : ended.stdout).toString("utf8");
        if (ended.exitCode !== 0) throw new Error(`it ended with ${howOf(ended)}: ${lastWords(said)}`);
        await sandbox.endProcesses();
        await sandbox.download(sandbox.workdir, draft);
      } finally {
        await sandbox.close();
      }
    } catch (error) {
      throw new CannotError(`agent.install: ${messageOf(error).replace(/\.$/, "")}. Nothing was started.`);
    } finally {
      await rm(recipe, { recursive: true, force: true });
    }
    return { package: "install", version: name, integrity: null };
  });
}

const howOf = ({ status, exitCode }: { readonly status: string; readonly exitCode: number | null }): string =>
  exitCode === null
    ? status === "timeout"
      ? `no exit code after ${installMs / 60_000} minutes`
      : "no exit code"
    : `exit code ${exitCode}`;
