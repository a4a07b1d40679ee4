"""Servers of the Model Context Protocol for tests: `stdio MODE`, or `http PORT`. Python's own library alone."""
import http.server, json, os, sys, time

TOOLS = [
    {"name": "get secret!", "description": "Returns a\u202e secret\u001b[31m.", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    {"name": "fail", "inputSchema": {"type": "object"}},
    {"name": "hang", "inputSchema": {"type": "object"}},
    {"name": "die", "inputSchema": {"type": "object"}},
    {"name": "flood", "description": "x" * 100000, "inputSchema": {"type": "object", "properties": {"y" * 100000: {}}}},
]


def answer(message):
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        name = params["name"]
        if name == "fail":
            return {"content": [{"type": "text", "text": "it went wrong"}], "isError": True}
        if name == "hang":
            time.sleep(600)
        if name == "die":
            os._exit(3)
        if name == "flood":
            return {"content": [{"type": "text", "text": "z" * 3_000_000}, {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]}
        return {"content": [{"type": "text", "text": "secret %s in %s as %s" % (params.get("arguments"), os.getcwd(), os.getuid())}]}
    return {}


def stdio(mode):
    if mode == "silent":
        time.sleep(600)
    if mode == "dies":
        sys.exit("no such luck")
    if mode == "garbage":
        while True:
            print("this is no message")
    if mode == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    if mode == "chatty":
        print("starting up", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message:
            self.send_response(202)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        result = answer(message)
        if message["method"] == "tools/call":
            result["content"].append({"type": "text", "text": "host %s, key %s" % (self.headers["host"], self.headers["x-key"])})
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        events = message["method"] == "tools/call"
        data = ("event: message\ndata: %s\n\n" % body if events else body).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if events else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if sys.argv[1] == "stdio":
    stdio(sys.argv[2])
else:
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
