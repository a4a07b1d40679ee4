import type Docker from "dockerode";
import type { NetworkPolicy } from "../../sandbox.ts";
import { execChannel } from "../exec/exec-channel.ts";

/** Starting Python and nft takes a tenth of a second; the machine may be busy. */
const longestMs = 60_000;

/** Hands a policy to a gateway. Answers undefined where it holds now, else what went wrong. @throws what the connection throws */
export async function tellGateway(container: Docker.Container, policy: NetworkPolicy): Promise<string | undefined> {
  const channel = await execChannel(container, { Cmd: ["python3", "/gateway/gateway.py", "set"] });
  try {
    const said = await new Promise<string>((resolve) => {
      let text = "";
      const late = setTimeout(() => resolve(`no response within ${longestMs / 1000} s`), longestMs);
      const hear = (chunk: Uint8Array): void => void (text += Buffer.from(chunk).toString());
      const end = (): void => {
        clearTimeout(late);
        resolve(text.trim());
      };
      channel.listen({ stdout: hear, stderr: hear, end });
      channel.write(Buffer.from(`${JSON.stringify(policy)}\n`));
    });
    if (said === "ok") return undefined;
    return said.split("\n").at(-1)?.replace(/\.$/, "") || "it ended before it responded";
  } finally {
    channel.destroy();
  }
}
