/** The public API: what a middleware file or a program around Forge imports from "forge-lab". */
export { z } from "zod";
export {
  middleware,
  type CallRecord,
  type Intervention,
  type Middleware,
  type MiddlewareDefinition,
  type Next,
  type Patch,
  type Phase,
  type Resume,
  type Run,
  type RunLog,
  type SideCall,
  type TextResult,
  type Turn,
} from "./harness/contract/middleware.ts";
export { tool, type ToolDefinition, type ToolWorkspace } from "./harness/contract/tool-definition.ts";
export { runAgent, type RunOptions } from "./harness/agent/run-agent.ts";
export { resultOf } from "./harness/contract/messages.ts";
export type * from "./harness/contract/messages.ts";
export type * from "./harness/contract/ports.ts";
export type { AgentInput, Budget, LimitName, Limits, Outcome, RunResult, Spent } from "./harness/contract/run-result.ts";
export type { CodeSource, ResolvedConfig, ResolvedMiddleware, ResolvedModel, ToolFile } from "./harness/contract/resolved-config.ts";
export type { EventType, RunEvent, TraceLine } from "./harness/events/schema.ts";
export type { Json, JsonObject } from "./harness/json.ts";
export type { ExecOptions, ExecResult, Sandbox, SandboxKind } from "./harness/sandbox/sandbox.ts";
export { recordTrace } from "./traces/record/record-trace.ts";
export type { RecorderOptions, TraceRecorder } from "./traces/record/trace-writer.ts";
export { replayTrace, type ReplayVerdict } from "./traces/replay/replay-trace.ts";
export { verifyTrace, type TraceCheck } from "./traces/replay/verify/verify-trace.ts";
export { loadTrace, type LoadedTrace } from "./traces/read/load-trace.ts";
export { CannotError, ConfigError, DamagedError, ForgeError, InfraError } from "./harness/errors.ts";
export {
  analyzeRuns,
  compareJobs,
  findRuns,
  loadConfiguration,
  loadTasks,
  makeModel,
  makeSandbox,
  replayRun,
  runBench,
  runOnce,
  type AgentRequest,
  type AnalysisRequest,
  type AnalyzedRuns,
  type ConfigurationRequest,
  type FoundIssue,
  type JobRequest,
} from "./assembly/for-programs.ts";
export type { BenchEvent } from "./evals/bench/bench-events.ts";
export type { ComparisonReport } from "./evals/compare/comparison-report.ts";
export type { JobResult } from "./evals/job/results/job-result.ts";
export type { ConfigFile } from "./harness/config/schema.ts";
export type { Suite, Task } from "./tasks/task.ts";
export type { RunAnswer } from "./traces/replay/corpus/judge-run.ts";
