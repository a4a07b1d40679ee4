import { randomBytes } from "node:crypto";
import { InfraError } from "../../errors.ts";
import type { Channel } from "../channel.ts";
import { workerScript } from "./worker-script.ts";

export interface WorkerRequest {
  /** Shell text, evaluated in a subshell of the worker. */
  readonly text: string;
  readonly stdin: Uint8Array | undefined;
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
}

/** `lost`: the worker's process or stream went away; `started` shows whether the command can have started. */
export type WorkerReply = { type: "exited"; code: number } | { type: "lost"; started: boolean };

const newline = 10;
/** A worker shell that is not ready by then will never be. */
const readyTimeoutMs = 60_000;
/** Longer texts are sent by byte count: `read` takes a system call for each byte. */
const linesUpTo = 2_000;

/** What was started is not a shell that can run the worker's script. */
export class WorkerError extends InfraError {}

/** One worker shell: requests go in one after another. It is spent (`usable` false) once its stream is lost or someone else holds its output. */
export class Worker {
  readonly #channel: Channel;
  #call: Call | undefined;
  #onReady: ((pid: number | undefined) => void) | undefined;
  #greeting = Buffer.alloc(0);
  #usable = true;
  /** Process id inside the sandbox. */
  pid = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.listen({
      stdout: (chunk) => (this.#onReady ? this.#greet(chunk) : this.#call?.stdout(chunk)),
      stderr: (chunk) => this.#call?.stderr(chunk),
      end: () => this.#lose(),
    });
    channel.write(Buffer.from(workerScript));
  }

  get usable(): boolean {
    return this.#usable;
  }

  get busy(): boolean {
    return this.#call !== undefined;
  }

  /** @throws InfraError when what answers is not a shell that can run the worker's script. */
  async ready(): Promise<this> {
    let timer: NodeJS.Timeout | undefined;
    const pid = await new Promise<number | undefined>((resolve) => {
      this.#onReady = resolve;
      timer = setTimeout(() => resolve(undefined), readyTimeoutMs);
    });
    clearTimeout(timer);
    this.#onReady = undefined;
    if (pid === undefined) {
      this.destroy();
      throw new WorkerError("The shell inside the sandbox did not get ready; check that the image has a POSIX /bin/sh.");
    }
    this.pid = pid;
    return this;
  }

  run(request: WorkerRequest): Promise<WorkerReply> {
    if (!this.#usable || this.#call) return Promise.resolve({ type: "lost", started: false });
    // Its first letter occurs nowhere else in it, so that it cannot overlap with itself.
    const mark = `z${randomBytes(16).toString("hex")}`;
    const text = Buffer.from(request.text.endsWith("\n") ? request.text : `${request.text}\n`);
    const size = text.length <= linesUpTo ? text.filter((byte) => byte === newline).length : -text.length;
    return new Promise((resolve) => {
      this.#call = new Call(mark, request, (reply, spent) => {
        this.#call = undefined;
        if (spent) this.#usable = false;
        resolve(reply);
      });
      this.#channel.write(Buffer.from(`${mark} ${size} ${request.stdin?.length ?? 0}\n`));
      this.#channel.write(text);
      if (request.stdin?.length) this.#channel.write(request.stdin);
    });
  }

  alive(): Promise<boolean | undefined> {
    return this.#channel.alive();
  }

  destroy(): void {
    this.#channel.destroy();
    this.#lose();
  }

  #greet(chunk: Uint8Array): void {
    this.#greeting = Buffer.concat([this.#greeting, chunk]);
    if (!this.#greeting.includes(newline)) return;
    const pid = /^ready (\d+)\n/.exec(this.#greeting.toString("latin1"))?.[1];
    this.#onReady?.(pid === undefined ? undefined : Number(pid));
  }

  #lose(): void {
    this.#usable = false;
    this.#onReady?.(undefined);
    this.#call?.lose();
  }
}

/** The reply to one request, cut out of the two streams. */
class Call {
  readonly #mark: Buffer;
  readonly #request: WorkerRequest;
  readonly #done: (reply: WorkerReply, spent: boolean) => void;
  #out: Uint8Array = Buffer.alloc(0);
  #err: Uint8Array = Buffer.alloc(0);
  #started = false;
  #errEnded = false;
  #end: { code: number; held: boolean } | undefined;
  #over = false;

  constructor(mark: string, request: WorkerRequest, done: (reply: WorkerReply, spent: boolean) => void) {
    this.#mark = Buffer.from(mark);
    this.#request = request;
    this.#done = done;
  }

  stdout(chunk: Uint8Array): void {
    if (this.#over || this.#end) return;
    const bytes = this.#out.length > 0 ? Buffer.concat([this.#out, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const at = bytes.indexOf(this.#mark);
    if (at === -1) {
      this.#out = this.#giveAllBut(bytes, this.#request.onStdout);
      return;
    }
    if (at > 0) this.#request.onStdout(bytes.subarray(0, at));
    this.#out = bytes.subarray(at);
    const lineEnd = bytes.indexOf(newline, at);
    if (lineEnd === -1) return;
    const [, code, held] = bytes.toString("latin1", at, lineEnd).split(" ");
    this.#end = { code: Number(code), held: held !== "0" };
    this.#settle();
  }

  stderr(chunk: Uint8Array): void {
    if (this.#over || this.#errEnded) return;
    let bytes = this.#err.length > 0 ? Buffer.concat([this.#err, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (!this.#started) {
      const at = bytes.indexOf(this.#mark);
      if (at === -1 || bytes.length <= at + this.#mark.length) {
        this.#err = bytes;
        return;
      }
      this.#started = true;
      bytes = bytes.subarray(at + this.#mark.length + 1);
    }
    const at = bytes.indexOf(this.#mark);
    if (at === -1) {
      this.#err = this.#giveAllBut(bytes, this.#request.onStderr);
      return;
    }
    if (at > 0) this.#request.onStderr(bytes.subarray(0, at));
    this.#errEnded = true;
    this.#settle();
  }

  lose(): void {
    if (this.#over) return;
    this.#over = true;
    // What was held back as a possible beginning of the mark was output after all.
    if (this.#started && this.#err.length > 0 && !this.#errEnded) this.#request.onStderr(this.#err);
    if (this.#out.length > 0 && !this.#end) this.#request.onStdout(this.#out);
    this.#done({ type: "lost", started: this.#started }, true);
  }

  /** Passes on everything but the last bytes that could be the beginning of the mark. */
  #giveAllBut(bytes: Buffer, give: (chunk: Uint8Array) => void): Uint8Array {
    let keep = Math.min(bytes.length, this.#mark.length - 1);
    while (keep > 0 && !this.#mark.subarray(0, keep).equals(bytes.subarray(bytes.length - keep))) keep--;
    const rest = bytes.subarray(bytes.length - keep);
    if (bytes.length > keep) give(bytes.subarray(0, bytes.length - keep));
    return rest;
  }

  #settle(): void {
    if (!this.#end || !this.#errEnded) return;
    this.#over = true;
    this.#done({ type: "exited", code: this.#end.code }, this.#end.held);
  }
}
