import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/client";
import type { Channel } from "../../sandbox/channel.ts";
import type { Opener } from "./relay.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { cleanText } from "../../tools/observe/clean-text.ts";

/** What a server may say before it is cut off: in one message, beside messages, and in all. */
const mostBytes = { message: 10 * 1024 * 1024, noise: 1024 * 1024, all: 256 * 1024 * 1024 };
/** Each may be a question, whose answer waits until the server reads it. */
const mostMessages = 100_000;
/** Of its standard error; the first line is our own, and short. */
const keptChars = 4096;

/** What is needed of a sandbox. `exec` may be left out where a program's whole group ends with its channel. */
export type McpSandbox = Opener & Partial<Pick<Sandbox, "exec">>;

export interface ProgramTransport extends Transport {
  /** The end of what it printed on its standard error, and why it was cut off: evidence. */
  said(): string;
}

/** A server as a program inside of the sandbox, one message a line. `close` ends its whole process group. The words are hostile: none reaches a shell. */
export function programTransport(sandbox: McpSandbox, words: readonly string[]): ProgramTransport {
  let channel: Channel | undefined;
  let pid: string | undefined;
  let errors = "";
  let fault: string | undefined;
  /** Of a line whose end has not come. */
  const rest: Buffer[] = [];
  let restBytes = 0;
  const bytes = { noise: 0, all: 0 };
  let messages = 0;
  let closed = false;

  const transport: ProgramTransport = {
    async start() {
      if (!sandbox.program) throw new Error(`a sandbox of kind ${sandbox.kind} runs no servers`);
      // Each program of a container is a session of its own, so its number is its group's.
      channel = await sandbox.program(["/bin/sh", "-c", 'echo "$$" >&2; exec "$@"', "server", ...words]);
      channel.listen({ stdout: take, stderr: hear, end });
    },
    async send(message) {
      if (closed) throw new Error(fault ?? "the server has ended");
      channel?.write(Buffer.from(serializeMessage(message)));
    },
    async close() {
      end();
      channel?.destroy();
      if (pid !== undefined) await sandbox.exec?.(endGroup(pid), { cwd: "/", timeoutMs: 10_000 }).catch(() => undefined);
      pid = undefined;
    },
    said: () => [fault, cleanText(errors).trim().slice(-300)].filter(Boolean).join("; "),
  };

  function hear(chunk: Uint8Array): void {
    if (closed) return;
    errors += Buffer.from(chunk).toString();
    if (pid === undefined) {
      const [, number, more = ""] = /^(\d+)\n([^]*)$/.exec(errors) ?? [];
      if (number === undefined && errors.length > keptChars) return cut("it does not start as a program of the sandbox");
      if (number === undefined) return;
      pid = number;
      errors = more;
    }
    errors = errors.slice(-keptChars);
  }

  function take(chunk: Uint8Array): void {
    if (closed) return;
    bytes.all += chunk.length;
    let left = Buffer.from(chunk);
    for (let at = left.indexOf(10); at >= 0 && !closed; at = left.indexOf(10)) {
      const line = Buffer.concat([...rest.splice(0), left.subarray(0, at)]);
      left = left.subarray(at + 1);
      restBytes = 0;
      const message = messageIn(line);
      if (message && ++messages > mostMessages) return cut(`it sent more than ${mostMessages} messages`);
      if (message) transport.onmessage?.(message);
      else bytes.noise += line.length + 1;
      if (bytes.noise > mostBytes.noise) cut("it prints something other than messages of the protocol");
    }
    rest.push(left);
    restBytes += left.length;
    if (restBytes > mostBytes.message) cut(`it sent a message of more than ${mostBytes.message} bytes`);
    else if (bytes.all > mostBytes.all) cut(`it sent more than ${mostBytes.all} bytes`);
  }

  function cut(why: string): void {
    if (closed) return;
    fault = why;
    rest.length = 0;
    void transport.close();
  }

  function end(): void {
    if (closed) return;
    closed = true;
    fault ??= "it has ended";
    transport.onclose?.();
  }
  return transport;
}

/** A signal returns before its processes have ended; a first process that reaps nothing keeps them listed for ever, so the wait has an end. */
const endGroup = (pid: string): string =>
  `kill -KILL -${pid}; i=0; while [ $i -lt 100 ] && kill -0 -${pid}; do i=$((i+1)); sleep 0.02 || sleep 1; done`;

/** Logs that a server prints where only messages belong are passed over. */
function messageIn(line: Buffer): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line.toString("utf8"));
  } catch {
    return undefined;
  }
}
