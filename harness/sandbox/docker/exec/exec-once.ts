import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import type { ExecOptions, ExecResult } from "../../sandbox.ts";
import { callText } from "../../shell/call-text.ts";
import { CappedBytes } from "../../shell/capped-bytes.ts";
import { killScript } from "../../shell/kill-script.ts";
import { frames } from "./exec-channel.ts";
import { startExec } from "./start-exec.ts";

/** Output that is still on its way when the process has ended comes within this time; a child that holds the stream would keep it open for ever. */
const graceMs = 100;

/** One exec of the engine for one command: twenty times slower than a worker shell, for images whose `sh` cannot be one. */
export async function execOnce(
  container: Docker.Container,
  command: string,
  mark: string,
  workdir: string,
  o: ExecOptions,
): Promise<ExecResult> {
  // An exec is a session of its own already.
  const text = `__fs=\n${callText(command, mark, workdir, o)}`;
  const user = o.user === undefined ? {} : { User: o.user };
  const exec = await container.exec({ Cmd: ["/bin/sh", "-c", text], AttachStdin: true, AttachStdout: true, AttachStderr: true, ...user });
  const stream = await startExec(exec);
  const out = new CappedBytes(o.maxBytes ?? 10 * 1024 * 1024);
  const err = new CappedBytes(o.maxBytes ?? 10 * 1024 * 1024);
  const split = frames(
    (chunk) => out.push(chunk),
    (chunk) => err.push(chunk),
  );
  let ended = false;
  stream.on("data", split);
  for (const event of ["end", "close", "error"]) stream.on(event, () => (ended = true));
  stream.end(Buffer.from(o.stdin ?? []));
  const deadline = Date.now() + (o.timeoutMs ?? 120_000);
  let timedOut = false;
  let state = await exec.inspect();
  for (let wait = 5; state.Running && !timedOut; wait = Math.min(wait * 1.5, 200)) {
    await sleep(wait);
    state = await exec.inspect();
    timedOut = Date.now() > deadline && state.Running;
    if (timedOut || o.signal?.aborted) await kill(container, mark);
    if (o.signal?.aborted) {
      stream.destroy();
      o.signal.throwIfAborted();
    }
  }
  for (let waited = 0; !ended && waited < graceMs; waited += 5) await sleep(5);
  stream.destroy();
  const result = { stdout: out.take(), stderr: err.take(), dropped: out.dropped + err.dropped };
  if (timedOut) return { status: "timeout", exitCode: null, ...result };
  // Without an exit code the engine lost the process.
  if (state.ExitCode === null) return { status: "killed", exitCode: null, ...result };
  return { status: "exited", exitCode: state.ExitCode, ...result };
}

async function kill(container: Docker.Container, mark: string): Promise<void> {
  const script = killScript({ mark, workerPids: [], ownNamespace: true });
  const exec = await container.exec({ Cmd: ["/bin/sh", "-c", script], AttachStdout: true });
  const stream = await exec.start({});
  stream.resume();
  for (let i = 0; i < 100 && (await exec.inspect()).Running; i++) await sleep(50);
  stream.destroy();
}
