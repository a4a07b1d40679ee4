import { z } from "zod";

const estimate = z.number().nullish();

/** `task.yaml` of Terminal-Bench 1. What only describes the task is taken as it comes. */
export const taskYaml = z.strictObject({
  instruction: z.string(),
  author_name: z.unknown().optional(),
  author_email: z.unknown().optional(),
  difficulty: z.string().nullish(),
  category: z.string().nullish(),
  tags: z.array(z.coerce.string()).nullish(),
  parser_name: z.enum(["pytest", "swebench", "swelancer", "mlebench", "sweperf", "exit-code"]).default("pytest"),
  max_agent_timeout_sec: z.number().positive().default(360),
  max_test_timeout_sec: z.number().positive().default(60),
  run_tests_in_same_shell: z.boolean().default(false),
  disable_asciinema: z.boolean().default(false),
  estimated_duration_sec: estimate,
  expert_time_estimate_min: estimate,
  junior_time_estimate_min: estimate,
});

/** `solution.yaml`: what is typed into the terminal, in order. */
export const solutionYaml = z.array(
  z.strictObject({
    command: z.string(),
    min_timeout_sec: z.number().nonnegative().default(0),
    max_timeout_sec: z.number().positive().default(180),
    block: z.boolean().default(false),
    append_enter: z.boolean().default(true),
  }),
);
