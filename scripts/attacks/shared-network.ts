import { connect, connectionFromEnvironment } from "../../harness/sandbox/docker/daemon/connection.ts";
import { createDockerProvider } from "../../harness/sandbox/docker/docker-provider.ts";
import { trialNetwork } from "../../harness/sandbox/docker/network/trial-network.ts";
import type { SmallMachine } from "./small-machine.ts";

/** A verifier that asks a server of its own, and reports a request of another client. */
const server = `
import http.server, threading, time, urllib.request
strangers = []
class Asked(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.client_address[0] != "127.0.0.1": strangers.append(self.client_address[0])
        self.send_response(200); self.end_headers()
    def log_message(self, *_): pass
served = http.server.ThreadingHTTPServer(("0.0.0.0", 7777), Asked)
threading.Thread(target=served.serve_forever, daemon=True).start()
while True:
    urllib.request.urlopen("http://127.0.0.1:7777", timeout=5).read()
    print("asked by a stranger" if strangers else "well", flush=True)
    strangers.clear()
    time.sleep(0.1)
`;

/** This machine with its network: a naive runner's containers are on the engine's bridge, a neighbour of Forge's sandboxes is where these are. */
export async function sharedNetwork(): Promise<SmallMachine> {
  const docker = connect(connectionFromEnvironment());
  return {
    docker: [],
    options: [],
    provider: createDockerProvider(),
    network: { naive: "bridge", forge: await trialNetwork(docker) },
    neighbour: server,
    remove: async () => undefined,
  };
}
