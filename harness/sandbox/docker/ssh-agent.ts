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
    const connection = Duplex.from({ readable: child.stdout, writable: child.stdin });
    let said = "";
    child.stderr.on("data", (piece: Buffer) => (said = (said + piece.toString()).slice(-500)));
    child.on("error", (error) => connection.destroy(error));
    child.on("exit", (code) => {
      if (code) connection.destroy(new Error(`ssh ${hostname}: ${said.trim().replaceAll(/\s+/g, " ") || `exit code ${code}`}`));
    });
    connection.on("close", () => child.kill());
    connection.on("error", () => undefined); // the request on it hears of it too
    return connection;
  };
  return agent;
}
