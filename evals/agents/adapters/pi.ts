import { isObject } from "../../../harness/json.ts";
import type { AgentAdapter } from "../agent-adapter.ts";
import { lastLines } from "../last-lines.ts";

/** pi, over chat completions. In JSON mode its exit code is 0 after an error too: the last message says it. */
export const pi: AgentAdapter = {
  name: "pi",
  wire: "openai-chat",
  package: { from: "npm", name: "@earendil-works/pi-coding-agent", needsNode: true },
  version: "0.87.1",
  start: ({ token, url, model, layer }) => ({
    command: `PATH='${layer}/node/bin':"$PATH" node '${layer}/node_modules/.bin/pi' -p --mode json --offline -a --provider forge --model '${model}'`,
    env: { FORGE_KEY: token, PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    files: {
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          forge: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: "$FORGE_KEY",
            models: [{ id: model, contextWindow: 200_000, maxTokens: 8_192 }],
          },
        },
      }),
    },
  }),
  errorIn(stdout) {
    for (const line of lastLines(stdout)) {
      const { message } = line;
      if (isObject(message) && message["role"] === "assistant")
        return message["stopReason"] === "error" ? String(message["errorMessage"] ?? "an error without a message") : undefined;
    }
    return undefined;
  },
};
