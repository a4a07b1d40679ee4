import { InfraError } from "../errors.ts";
import { sha256 } from "../hash/sha256.ts";
import { callModel } from "./call-model.ts";
import { createPortReads } from "./record/port-reads.ts";
import type { AnyMiddleware, Phase, Run, SideCall } from "../contract/middleware.ts";
import { begun, messageFrom, recordIntervention, type RunState } from "./run-state.ts";
import { spawnSubagent } from "./spawn.ts";
import { budgetLeft } from "./spent.ts";

const textBytes = 1024 * 1024;
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The run as one middleware sees it in one phase, and whether it has said what it changed. */
export interface PhaseRun {
  readonly run: Run<unknown>;
  /** How often it has called `inject` or `intervene` in this phase. */
  announced(): number;
}

/** `lane` is where the phase happens: the run's own, or the lane of a tool call. */
export function createPhaseRun(state: RunState, middleware: AnyMiddleware, phase: Phase, lane: string): PhaseRun {
  const { shared } = state;
  const { ports, signal } = shared;
  const place = { middleware: middleware.name, phase, lane };
  const own = `${lane}/mw:${middleware.name}`;
  let announced = 0;

  const reads = createPortReads(state, own);

  const run: Run<unknown> = {
    task: state.input.task,
    config: shared.config,
    lane: state.lane,
    signal,
    log: state.log.log,
    get spent() {
      return { ...state.account.spent };
    },
    get left() {
      return budgetLeft(state.limits, state.account.spent);
    },
    get state() {
      return state.privateState.get(middleware.name);
    },
    set state(value) {
      state.privateState.set(middleware.name, value);
    },
    get workdir() {
      return reads.now("files", "workdir", [], () => ports.sandbox.workdir);
    },
    inject(text, why) {
      announced++;
      state.pending.push(messageFrom(state, text, recordIntervention(state, place, { change: "inject", text, why })));
    },
    intervene(change, why) {
      announced++;
      recordIntervention(state, place, { change, why });
    },
    exec: (command, o = {}) =>
      reads.later("exec", "exec", [command, { ...o }], async () => {
        const result = await ports.sandbox.exec(command, { ...o, signal, maxBytes: textBytes });
        return { status: result.status, exitCode: result.exitCode, stdout: decode(result.stdout), stderr: decode(result.stderr) };
      }),
    readFile(path) {
      const answer = reads.later("files", "read", [path], async () => {
        const bytes = await ports.sandbox.readFile(path);
        return bytes ? decode(bytes) : null;
      });
      return mayBeAbandoned(answer.then((text) => text ?? undefined));
    },
    writeFile(path, text) {
      const answer = reads.later("files", "write", [path, sha256(text)], async () => {
        await ports.sandbox.writeFile(path, new TextEncoder().encode(text));
        return true;
      });
      return mayBeAbandoned(answer.then(() => undefined));
    },
    now: () => reads.now("clock", "now", [], () => ports.clock.now()),
    random: () => reads.now("random", "next", [], () => ports.random.next()),
    model(call: SideCall) {
      const params = { maxOutputTokens: shared.config.model.maxOutputTokens, ...call.params };
      const request = { system: call.system ?? [], messages: call.messages, tools: call.tools ?? [], params };
      return begun(state, callModel(state, own, request));
    },
    spawn(input) {
      const answer = spawnSubagent(state, own, input).then((result) => {
        if (result.outcome.type === "error" && result.outcome.kind === "infra") throw new InfraError(result.outcome.message);
        return result;
      });
      return mayBeAbandoned(answer);
    },
  };
  return { run, announced: () => announced };
}

/** The same answer. A hook that ends before it waited for it has left it, which must not end the whole process when it fails. */
function mayBeAbandoned<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => undefined);
  return answer;
}
