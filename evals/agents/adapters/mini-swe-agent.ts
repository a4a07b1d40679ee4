import type { AgentAdapter } from "../agent-adapter.ts";

/** mini-swe-agent: one tool, not streamed. It ends by a command alone. */
export const miniSweAgent: AgentAdapter = {
  name: "mini-swe-agent",
  wire: "openai-chat",
  package: { from: "pip", name: "mini-swe-agent" },
  version: "2.4.6",
  lastCommand: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
  start: ({ url, token, model, home, layer }) => ({
    command: [
      `PYTHONPATH=${layer} python3 -m minisweagent.run.mini`,
      `-m 'openai/${model}' -t "$(cat)" -y --exit-immediately -c mini.yaml`,
      // the gateway holds the limits: at its own it would end as if it were done
      `-c agent.step_limit=0 -l 0 -o '${home}/trajectory.json'`,
    ].join(" "),
    env: {
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: token,
      MSWEA_CONFIGURED: "true",
      MSWEA_SILENT_STARTUP: "1",
      MSWEA_COST_TRACKING: "ignore_errors",
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
    },
  }),
};
