import { isObject } from "../../../harness/json.ts";
import type { AgentAdapter } from "../agent-adapter.ts";
import { lastLines } from "../last-lines.ts";

/** Claude Code. Its subagents name themselves; it is ended by 403 at once. */
export const claudeCode: AgentAdapter = {
  name: "claude-code",
  wire: "anthropic-messages",
  package: { from: "npm", name: "@anthropic-ai/claude-code" },
  version: "2.1.331",
  knownModel: "claude-sonnet-5-5",
  laneOf: (headers) => headers.get("x-claude-code-agent-id") ?? undefined,
  start: ({ url, token, model, layer }) => ({
    command: `'${layer}/node_modules/@anthropic-ai/claude-code-linux-x64/claude' -p --model '${model}' --output-format stream-json --verbose --permission-mode bypassPermissions`,
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: token,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      IS_SANDBOX: "1", // root may bypass permissions
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
  // `subtype` is `success` even after an error of the API
  errorIn(stdout) {
    const result = lastLines(stdout).find((line) => line["type"] === "result");
    return isObject(result) && result["is_error"] === true
      ? String(result["result"] ?? result["terminal_reason"] ?? result["subtype"])
      : undefined;
  },
};
