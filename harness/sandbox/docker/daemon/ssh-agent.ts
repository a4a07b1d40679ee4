import { spawn } from "node:child_process";
import { Agent } from "node:http";
import { Duplex } from "node:stream";

/**
 * Connections to a daemon through the `ssh` program, each a `docker system dial-stdio` on the other machine, as Docker's own client does it: keys, jump
 * hosts and known hosts are those of the user's ssh configuration. Never asks for a password.
 * @param address `ssh://[user@]host[:port]`
 */
export function sshAgent(address: string): Agent {
  const agent = new Agent();
  const { hostname, username, port } = new URL(address);
  const to = [...(username ? ["-l", username] : []), ...(port ? ["-p", port] : []), "--", hostname];
  const args = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-T", ...to, "docker", "system", "dial-stdio"];
  agent.createConnection = () => {
    const child = spawn("ssh", args, { stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    const connection = new Duplex({
      read: () => void child.stdout.resume(),
      write: (piece, _encoding, done) => void child.stdin.write(piece, (error) => (error ? undefined : done())),
      final: (done) => void child.stdin.end(done),
      destroy(error, done) {
        child.kill();
        done(error);
      },
    });
    child.stdout.on("data", (piece: Buffer) => {
      if (!connection.push(piece)) child.stdout.pause();
    });
    child.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(-500)));
    // A pipe that breaks says nothing; why it broke is known when the program has ended.
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => connection.destroy(error));
    child.on("close", (code) => {
      if (code === 0) return void connection.push(null);
      const why = said.trim().replaceAll(/\s+/g, " ") || `it ended with ${code}`;
      connection.destroy(new Error(`ssh ${hostname}: ${why}`));
    });
    return connection;
  };
  return agent;
}
