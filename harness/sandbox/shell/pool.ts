import { InfraError, messageOf } from "../../errors.ts";
import { timerMs } from "../../timer-ms.ts";
import type { ExecOptions, ExecResult } from "../sandbox.ts";
import { callText } from "./call-text.ts";
import { CappedBytes } from "./capped-bytes.ts";
import type { Channel } from "../channel.ts";
import { killScript } from "./kill-script.ts";
import { Worker, type WorkerReply, type WorkerRequest } from "./worker.ts";

export interface PoolOptions {
  /** Opens a new worker shell inside the sandbox; throws `InfraError` when the sandbox is gone. */
  readonly open: (user: string | undefined) => Promise<Channel>;
  /** Ends everything inside when a call could not be ended otherwise (a fork bomb leaves no process to kill with). */
  readonly reset: () => Promise<void>;
  readonly workdir: string;
  /** Makes `FORGE_CALL` of this sandbox differ from others' where process ids are shared with the host. */
  readonly callPrefix: string;
  readonly ownNamespace: boolean;
}

/** Bytes of output as they come, instead of in the result. */
export interface Sinks {
  readonly onStdout?: (chunk: Uint8Array) => void;
}

const defaultTimeoutMs = 120_000;
const defaultMaxBytes = 10 * 1024 * 1024;
/** One argument of a program may not be longer (Linux, MAX_ARG_STRLEN, less room for quotes). */
const maxCommandBytes = 120_000;
/** How long a call may take to end after everything in it was killed. */
const afterKillMs = 3_000;
const livenessEveryMs = 2_000;

/** Runs calls on worker shells: an idle one is used again, a new one is opened when all are busy, a spent one is left to its holder. */
export class ShellPool {
  readonly #o: PoolOptions;
  readonly #workers = new Map<string, Set<Worker>>();
  /** Spent, but kept open and read, so that the background child that holds their output does not block or die on it. */
  readonly #held = new Set<Worker>();
  #calls = 0;
  #drops = 0;
  #closed = false;

  constructor(o: PoolOptions) {
    this.#o = o;
  }

  get callPrefix(): string {
    return this.#o.callPrefix;
  }

  /** Opens the first worker before it is asked for. */
  async warm(): Promise<void> {
    await this.#acquire(undefined);
  }

  async exec(command: string, o: ExecOptions = {}, sinks: Sinks = {}): Promise<ExecResult> {
    o.signal?.throwIfAborted();
    if (command.includes("\0")) return refused("A command cannot hold a NUL byte.");
    if (Buffer.byteLength(command) > maxCommandBytes) {
      if (o.stdin)
        return refused(`A command of more than ${maxCommandBytes} bytes cannot also get standard input; put it into a file and run that.`);
      // Too long for an argument: the shell reads it from its input instead.
      return this.exec(
        `f=$(mktemp) && cat >"$f" && exec </dev/null && . "$f"`,
        { ...o, stdin: Buffer.from(`rm -f "$f"\n${command}`) },
        sinks,
      );
    }
    const mark = `FORGE_CALL=${this.#o.callPrefix}${++this.#calls}.`;
    const out = new CappedBytes(o.maxBytes ?? defaultMaxBytes);
    const err = new CappedBytes(o.maxBytes ?? defaultMaxBytes);
    const request = {
      text: callText(command, mark, this.#o.workdir, o),
      stdin: o.stdin,
      onStdout: sinks.onStdout ?? ((chunk: Uint8Array) => out.push(chunk)),
      onStderr: (chunk: Uint8Array) => err.push(chunk),
    };
    const { reply, stopped } = await this.#run(request, mark, o);
    if (stopped === "abort") o.signal?.throwIfAborted();
    const bytes = { stdout: out.take(), stderr: err.take() };
    const result = { ...bytes, dropped: out.dropped + err.dropped };
    if (stopped === "timeout") return { status: "timeout", exitCode: null, ...result };
    if (reply.type === "lost") return { status: "killed", exitCode: null, ...result };
    return { status: "exited", exitCode: reply.code, ...result };
  }

  /** Ends everything that carries this sandbox's mark; for kinds that share the host's processes. Calls in flight come back as `killed`. */
  async killMarked(): Promise<void> {
    if (this.#calls === 0) return;
    this.drop();
    await this.#kill({ mark: `FORGE_CALL=${this.#o.callPrefix}` });
  }

  /** Lets go of every worker; calls in flight come back as `killed`, later calls open new ones. */
  drop(): void {
    this.#drops++;
    for (const worker of [...this.#all(), ...this.#held]) worker.destroy();
    this.#workers.clear();
    this.#held.clear();
  }

  close(): void {
    this.#closed = true;
    this.drop();
  }

  async #run(request: WorkerRequest, mark: string, o: ExecOptions) {
    const drops = this.#drops;
    for (let attempt = 1; ; attempt++) {
      const worker = await this.#acquire(o.user);
      const outcome = await this.#guard(worker, worker.run(request), mark, o);
      this.#release(worker, o.user);
      if (outcome.reply.type === "exited" || outcome.reply.started || outcome.stopped || attempt === 3 || this.#drops !== drops)
        return outcome;
      // A worker that was lost while idle shows it only when it is used. The command has not started, and the other idle ones may have gone with it.
      for (const idle of this.#of(o.user)) if (!idle.busy && !this.#taken.has(idle)) idle.destroy();
    }
  }

  async #guard(worker: Worker, running: Promise<WorkerReply>, mark: string, o: ExecOptions) {
    let stopped: "timeout" | "abort" | undefined;
    let stop = (_why: "timeout" | "abort") => {};
    const asked = new Promise<void>((resolve) => {
      stop = (why) => {
        stopped ??= why;
        resolve();
      };
    });
    const timer = setTimeout(() => stop("timeout"), timerMs(o.timeoutMs ?? defaultTimeoutMs));
    const pulse = setInterval(() => void this.#checkAlive(worker), livenessEveryMs);
    const onAbort = () => stop("abort");
    o.signal?.addEventListener("abort", onAbort, { once: true });
    if (o.signal?.aborted) onAbort();
    try {
      const first = await Promise.race([running, asked]);
      if (first) return { reply: first, stopped: undefined };
      return { reply: await this.#end(worker, running, mark), stopped };
    } finally {
      clearTimeout(timer);
      clearInterval(pulse);
      o.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** A worker that is gone while a child of its holds the streams open would otherwise be noticed only at the timeout. */
  async #checkAlive(worker: Worker): Promise<void> {
    const alive = await worker.alive().catch(() => true);
    if (alive === undefined ? await this.#seenFromInside(worker.pid) : alive) return;
    worker.destroy();
  }

  async #seenFromInside(pid: number): Promise<boolean> {
    const other = await this.#acquire(undefined).catch(() => undefined);
    if (!other) return true;
    const reply = await other.run({ text: `kill -0 ${pid}`, stdin: undefined, onStdout: () => {}, onStderr: () => {} });
    this.#release(other, undefined);
    return reply.type === "lost" || reply.code === 0;
  }

  async #end(worker: Worker, running: Promise<WorkerReply>, mark: string): Promise<WorkerReply> {
    const ended = await this.#kill({ mark, workerPid: worker.pid }).catch(() => false);
    if (!ended) await this.#o.reset();
    const late = setTimeout(() => worker.destroy(), afterKillMs);
    const reply = await running;
    clearTimeout(late);
    return reply;
  }

  async #kill(target: { mark: string; workerPid?: number }): Promise<boolean> {
    const killer = await this.#acquire(undefined);
    const workerPids = [...this.#all()].map((worker) => worker.pid);
    const late = setTimeout(() => killer.destroy(), 15_000);
    const text = `(${killScript({ ...target, workerPids, ownNamespace: this.#o.ownNamespace })}) 2>/dev/null`;
    const ignore = () => {};
    const reply = await killer.run({ text, stdin: undefined, onStdout: ignore, onStderr: ignore });
    clearTimeout(late);
    this.#release(killer, undefined);
    return reply.type === "exited" && reply.code === 0;
  }

  async #acquire(user: string | undefined): Promise<Worker> {
    if (this.#closed) throw new InfraError("The sandbox is closed; make a new one.");
    const set = this.#of(user);
    for (const worker of set) {
      if (!worker.usable) set.delete(worker);
      else if (!worker.busy && !this.#taken.has(worker)) {
        this.#taken.add(worker);
        return worker;
      }
    }
    let worker: Worker;
    try {
      worker = await new Worker(await this.#o.open(user)).ready();
    } catch (error) {
      if (error instanceof InfraError) throw error;
      throw new InfraError(`No command can be run in the sandbox: ${messageOf(error)}.`);
    }
    this.#taken.add(worker);
    this.#of(user).add(worker);
    return worker;
  }

  /** Handed out: between being chosen and being busy there is a moment. */
  readonly #taken = new Set<Worker>();

  #release(worker: Worker, user: string | undefined): void {
    this.#taken.delete(worker);
    if (worker.usable) return;
    this.#of(user).delete(worker);
    this.#held.add(worker);
  }

  #of(user: string | undefined): Set<Worker> {
    const key = user ?? "";
    const set = this.#workers.get(key) ?? new Set();
    this.#workers.set(key, set);
    return set;
  }

  *#all(): Iterable<Worker> {
    for (const set of this.#workers.values()) yield* set;
  }
}

function refused(why: string): ExecResult {
  return { status: "exited", exitCode: 126, stdout: new Uint8Array(), stderr: Buffer.from(`${why}\n`), dropped: 0 };
}
