import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import { InfraError, messageOf } from "../../../errors.ts";
import type { Terminal } from "../../terminal.ts";
import { startExec } from "./start-exec.ts";

const shell = "if command -v bash >/dev/null 2>&1; then exec bash -i; else exec sh -i; fi";

/**
 * An interactive shell in a container, on a terminal of its own there, until it ends or `signal` is aborted. Answers its exit code, null where it was
 * left. @throws InfraError when the container runs no command
 */
export async function dockerTerminal(container: Docker.Container, workdir: string, o: Terminal): Promise<number | null> {
  const { input, output, signal } = o;
  const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: true };
  const env = [`TERM=${o.term ?? "xterm"}`];
  let exec: Docker.Exec;
  let stream: Duplex;
  try {
    exec = await container.exec({
      ...streams,
      Cmd: ["/bin/sh", "-c", shell],
      WorkingDir: workdir,
      Env: env,
      ...(o.user === undefined ? {} : { User: o.user }),
    });
    stream = await startExec(exec, { Tty: true });
  } catch (error) {
    throw new InfraError(`No shell could be opened in the container ${container.id.slice(0, 12)}: ${messageOf(error)}.`);
  }
  const resize = (): void => {
    if (output.columns && output.rows) exec.resize({ w: output.columns, h: output.rows }).catch(() => undefined);
  };
  const leave = (): void => void stream.destroy();
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });
  try {
    resize();
    output.on("resize", resize);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    if (input.isTTY) input.setRawMode?.(true);
    input.pipe(stream);
    stream.pipe(output, { end: false });
    await ended;
    return signal.aborted ? null : (await exec.inspect()).ExitCode;
  } finally {
    signal.removeEventListener("abort", leave);
    output.off("resize", resize);
    input.unpipe(stream);
    if (input.isTTY) input.setRawMode?.(false);
    input.pause();
    stream.destroy();
  }
}
