import { isObject } from "../../../harness/json.ts";
import type { AgentAdapter } from "../agent-adapter.ts";
import { lastLines } from "../last-lines.ts";

/** Codex, as a custom provider: so it never tries a WebSocket. It has no limits of its own; 400 ends it at once. */
export const codex: AgentAdapter = {
  name: "codex",
  wire: "openai-responses",
  package: { from: "npm", name: "@openai/codex" },
  version: "0.169.0",
  laneOf: (headers) => headers.get("thread-id") ?? undefined,
  start: ({ url, token, model, layer }) => ({
    command: [
      // the platform's package holds the binary, the other one a launcher for Node
      `'${layer}/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex' exec --json --skip-git-repo-check`,
      "--dangerously-bypass-approvals-and-sandbox --trust --dangerously-bypass-hook-trust",
      `--disable plugins --disable apps -c web_search=disabled -m '${model}' -`,
    ].join(" "),
    env: { FORGE_KEY: token },
    files: {
      ".codex/config.toml": `model_provider = "forge"
check_for_update_on_startup = false
[model_providers.forge]
name = "forge"
base_url = "${url}/v1"
env_key = "FORGE_KEY"
wire_api = "responses"
[analytics]
enabled = false
`,
    },
  }),
  errorIn(stdout) {
    const failed = lastLines(stdout).find((line) => line["type"] === "turn.failed");
    const error = failed?.["error"];
    return failed ? String(isObject(error) ? (error["message"] ?? "turn.failed") : "turn.failed") : undefined;
  },
};
