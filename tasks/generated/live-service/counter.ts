import type { Draw } from "../draw.ts";
import type { FlawedProgram } from "../flawed-program.ts";
import { text } from "../text.ts";
import { goods } from "../words.ts";
import { scenes } from "./scenes.ts";

/** A small HTTP service with scripts that start and stop it. */
export function counter(d: Draw): FlawedProgram {
  const things = d.pick(["stock", "votes", "seats", "miles"]);
  const file = `${d.pick(["serve", "keep", "run"])}_${things}.py`;
  const all = d.pick(["all", "list", "everything"]);
  const field = d.pick(["add", "by", "amount"]);
  const missing = d.pick(["unknown", "missing", "no such name"]);
  const data = `${things}.json`;
  const pidFile = d.pick(["service.pid", "run.pid"]);
  const source = text`
    import json
    import os
    import sys
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
    from urllib.parse import unquote

    PORT = int(sys.argv[1])
    DATA = "${data}"
    LOCK = threading.Lock()
    TABLE = json.load(open(DATA, encoding="utf-8")) if os.path.exists(DATA) else {}


    def save():
        with open(DATA + ".new", "w", encoding="utf-8") as file:
            json.dump(TABLE, file)
        os.replace(DATA + ".new", DATA)


    class Handler(BaseHTTPRequestHandler):
        def reply(self, status, value):
            body = (json.dumps(value, sort_keys=True) + "\n").encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            name = unquote(self.path[1:])
            with LOCK:
                table = dict(TABLE)
            if name == "${all}":
                self.reply(200, table)
            elif name in table:
                self.reply(200, {name: table[name]})
            else:
                self.reply(404, {"error": "${missing}"})

        def do_POST(self):
            name = unquote(self.path[1:])
            try:
                length = int(self.headers.get("Content-Length") or 0)
                if length < 0:
                    raise ValueError
                number = json.loads(self.rfile.read(length))["${field}"]
                if type(number) is not int:
                    raise ValueError
            except (ValueError, TypeError, KeyError, RecursionError):
                return self.reply(400, {"error": "${field}"})
            with LOCK:
                TABLE[name] = TABLE.get(name, 0) + number
                save()
                reached = TABLE[name]
            self.reply(200, {name: reached})

        def log_message(self, *_):
            pass


    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
  `;
  const start = text`
    #!/bin/sh
    # Starts the service at the port given, and returns when it answers.
    cd "$(dirname "$0")" || exit 1
    sh ./stop.sh
    nohup python3 ${file} "$1" > service.log 2>&1 < /dev/null &
    echo $! > ${pidFile}
    tries=0
    while [ "$tries" -lt 60 ]; do
      python3 -c "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 1)" "$1" 2> /dev/null && exit 0
      tries=$((tries + 1))
      sleep 0.1
    done
    exit 1
  `;
  const stop = text`
    #!/bin/sh
    # Ends the service. It is told by its command and its folder: the number in ${pidFile} may be another program's by now.
    cd "$(dirname "$0")" || exit 1
    folder=$(pwd -P)

    running() {
      for place in $(grep -lsxz '${file.replace(".", "[.]")}' /proc/[0-9]*/cmdline); do
        place=\${place%/cmdline}
        case $(tr '\0' ' ' 2> /dev/null < "$place/cmdline") in
          "python3 ${file} "*) [ "$(readlink "$place/cwd")" = "$folder" ] && echo "\${place#/proc/}" ;;
        esac
      done
    }

    tries=0
    while pids=$(running); [ -n "$pids" ]; do
      tries=$((tries + 1))
      if [ "$tries" -lt 50 ]; then kill $pids; else kill -9 $pids; fi 2> /dev/null
      sleep 0.1
    done
    rm -f ${pidFile}
  `;
  const port = "PORT = int(sys.argv[1])";
  const caught = `        except (ValueError, TypeError, KeyError, RecursionError):
            return self.reply(400, {"error": "${field}"})
`;
  const server = 'ThreadingHTTPServer(("127.0.0.1", PORT), Handler)';
  const saving = "            save()\n";
  const first = "sh ./stop.sh\n";
  const mine = stop.slice(stop.indexOf("  for place in"), stop.indexOf("}\n\ntries=0"));
  const told = `  pid=$(cat ${pidFile} 2> /dev/null)\n`;
  const atEnd: readonly [string, string] = ["    def log_message(self, *_):\n        pass\n", "    def log_message(self, *_):\n        pass\n\n\ndef end(*_):\n    save()\n    os._exit(0)\n\n\nsignal.signal(signal.SIGTERM, end)\n"]; // prettier-ignore
  const signals: readonly [string, string] = ["import os\nimport sys\n", "import os\nimport signal\nimport sys\n"];
  return {
    file,
    beside: { "start.sh": start, "stop.sh": stop },
    about: `\`${file}\` is an HTTP service that counts ${things} by name.`,
    uses: [
      `\`sh start.sh PORT\` starts the service in the background, returns with exit code 0 when it answers at 127.0.0.1 and this port, and may be called from any directory; \`sh stop.sh\` ends it.`,
      `\`GET /${all}\` answers a JSON object with all names and their numbers, \`GET /NAME\` one with this name alone, or the status 404 with \`{"error": "${missing}"}\`. Names may be percent-encoded.`,
      `\`POST /NAME\` with a JSON object \`{"${field}": NUMBER}\`, a whole number, adds it to the name's, which is 0 at first, and answers an object with the name and its new number. Other keys of the object do not matter.`,
      `The numbers are kept beside the program in \`${data}\`, an object of the same form; a service that is started reads it, and after \`stop.sh\` it holds them all.`,
    ],
    source,
    flaws: [
      {
        name: "port",
        easy: true,
        promise: "The service answers at the port that `start.sh` was given, whichever it is.",
        told: "It does not answer at the port that it was started with.",
        open: [[port, `PORT = ${d.int(81, 89)}${d.int(10, 99)}`]],
        half: [[port, 'PORT = int(os.environ.get("PORT", 8080))']],
        lazy: [[port, "PORT = 8080"]],
        check: text`
          for _ in range(2):
              got = scene("ports = [free_port() for _ in range(2)]\nfor port in ports:\n    show(start(port), ask(port, 'GET', '/${all}'))\n    stop()", table={"a": 3})
              same(got, [[0, [200, {"a": 3}]]] * 2, "start.sh, and what the service answers at its port")
        `,
      },
      {
        name: "bodies",
        promise: `A \`POST\` whose body is anything but an object with a whole number as \`${field}\` (not a text, a fraction, true or false), or whose \`Content-Length\` is not a number from 0, is answered with status 400 and \`{"error": "${field}"}\`, and changes nothing.`,
        told: "Some requests get no answer at all.",
        open: [[caught, `        except UnicodeDecodeError:\n            return self.reply(400, {"error": "${field}"})\n`]],
        half: [[caught, caught.replace("(ValueError, TypeError, KeyError, RecursionError)", "ValueError")]],
        lazy: [[caught, caught.replace("(ValueError, TypeError, KeyError, RecursionError)", "(ValueError, AttributeError)")]],
        others: {
          "forgets-deep-nesting": [[caught, caught.replace(", RecursionError", "")]],
          "waits-for-the-end": [["            if length < 0:\n                raise ValueError\n", ""]],
        },
        check: text`
          bodies = ["", "no json", "[]", "{}", "7", "null", '{"${field}": "3"}', '{"${field}": 1.5}', '{"${field}": true}', '{"${field}": false}', '{"${field}": null}', '{"${field}": [1]}', '{"other": 3}', "{", '"${field}"', "[" * 20000]
          bodies += [{"Content-Length": "-1"}, {"Content-Length": "two"}]
          rng.shuffle(bodies)
          got = scene("port = free_port()\nstart(port)\nfor body in values['bodies']:\n    show(ask(port, 'POST', '/a', body, seconds=4) if isinstance(body, str) else ask(port, 'POST', '/a', headers=body, seconds=4))\nshow(ask(port, 'GET', '/${all}'))", table={"a": 3}, bodies=bodies)
          for body, answer in zip(bodies, got):
              same(answer, [[400, {"error": "${field}"}]], f"for the body (or header) {str(body)[:60]!r}")
          same(got[-1], [[200, {"a": 3}]], "after wrong requests")
        `,
      },
      {
        name: "slow",
        easy: true,
        promise: "Clients that send their requests slowly, or nothing at all, keep no others waiting.",
        told: "One client that sends nothing keeps all others waiting.",
        open: [[server, server.replace("Threading", "")]],
        half: [
          [server, server.replace("Threading", "")],
          ["    def log_message(", "    timeout = 8\n\n    def log_message("],
        ],
        lazy: [
          [server, server.replace("Threading", "")],
          ["    def log_message(", "    request_queue_size = 50\n\n    def log_message("],
        ],
        check: text`
          got = scene("port = free_port()\nstart(port)\nheld = [socket.create_connection(('127.0.0.1', port)) for _ in range(6)]\nfor client, part in zip(held, [b'', b'GET /', b'POST /a HTTP/1.1\\r\\n', b'POST /a HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 20\\r\\n\\r\\n{', b'', b'G']):\n    client.sendall(part)\ntime.sleep(0.3)\nshow(ask(port, 'GET', '/a', seconds=5), ask(port, 'POST', '/a', '{\"${field}\": 2}', seconds=5))", table={"a": 3})
          same(got, [[[200, {"a": 3}], [200, {"a": 5}]]], "beside six slow clients")
        `,
      },
      {
        name: "kept",
        promise:
          "What was answered is kept: when the service's processes are killed right after an answer and it is started again, nothing is missing.",
        told: "After a crash, numbers are missing.",
        open: [[saving, ""], atEnd, signals],
        half: [[saving, "            if name not in TABLE or TABLE[name] % 5 == 0:\n                save()\n"], atEnd, signals],
        lazy: [[saving, "            threading.Timer(2, save).start()\n"], atEnd, signals],
        check: text`
          for _ in range(2):
              adds = [[rng.choice("abc"), rng.choice([1, 2, 3, 7, -4])] for _ in range(rng.randint(3, 8))] + [["a", 6], ["d", 1], ["d", 1]]
              wanted = {"a": 1}
              for name, number in adds:
                  wanted[name] = wanted.get(name, 0) + number
              got = scene("port = free_port()\nstart(port)\nfor name, number in values['adds']:\n    ask(port, 'POST', '/' + name, json.dumps({'${field}': number}))\nkill_all()\nport = free_port()\nshow(start(port), ask(port, 'GET', '/${all}'))", table={"a": 1}, adds=adds)
              same(got, [[0, [200, wanted]]], f"killed and started again after {adds}")
        `,
      },
      {
        name: "again",
        promise: `\`start.sh\` always ends with one service, the new one: one that still runs, even at another port, is ended first, whatever number stands in \`${pidFile}\`: a killed one may have left the file behind, and the number may belong to another program by now.`,
        told: "After the machine was switched off, `start.sh` starts nothing any more.",
        open: [[first, `[ -e ${pidFile} ] && exit 0\n`]],
        half: [[first, `kill -0 "$(cat ${pidFile} 2> /dev/null)" 2> /dev/null && exit 0\n`]],
        lazy: [[first, `rm -f ${pidFile}\n`]],
        check: text`
          got = scene("one, two, three = free_port(), free_port(), free_port()\nshow(start(one), start(two), ask(one, 'GET', '/a', seconds=3), ask(two, 'GET', '/a'))\nkill_all()\nstrange = strangers()\nwrite_pid('${pidFile}', strange[0].pid)\nshow(start(three), ask(three, 'GET', '/a'))\nwrite_pid('${pidFile}', 999999)\nshow(start(one), ask(one, 'GET', '/a'), ask(three, 'GET', '/a', seconds=3))\nshow(start(one), ask(one, 'GET', '/a'), [other.poll() for other in strange])\nkill_all()\nwrite_pid('${pidFile}', 999999)\nshow(start(two), ask(two, 'GET', '/a'))", table={"a": 3})
          well = [200, {"a": 3}]
          same(got, [[0, 0, "refused", well], [0, well], [0, well, "refused"], [0, well, [None, None]], [0, well]], "a second start; starts beside other programs, with a wrong number and a right one; a start after a kill")
        `,
      },
      {
        name: "stop",
        promise: `When \`stop.sh\` returns, the service has ended. \`stop.sh\` does no harm to any other program, whatever number stands in \`${pidFile}\`, and ends with 0 also where no service runs.`,
        told: "`stop.sh` has once ended a program that was not ours.",
        open: [[mine, `${told}  [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null && echo "$pid"\n`]],
        half: [
          [
            mine,
            `${told}  case $(tr '\\0' ' ' 2> /dev/null < "/proc/$pid/cmdline") in\n    *"python3 ${file} "*) echo "$pid" ;;\n  esac\n`,
          ],
        ],
        lazy: [[mine, `${told}  [ -n "$pid" ] && [ -d "/proc/$pid" ] && echo "$pid"\n`]],
        others: { "ends-all-of-that-name": [[` [ "$(readlink "$place/cwd")" = "$folder" ] &&`, ""]] },
        check: text`
          got = scene("port = free_port()\nstart(port)\nshow(stop(), ask(port, 'GET', '/a', seconds=3), stop())\nstrange = strangers()\nfor other in strange:\n    write_pid('${pidFile}', other.pid)\n    show(stop())\ntime.sleep(0.5)\nshow(*[other.poll() for other in strange])\nfor number in [strange[0].pid, 999999]:\n    start(port)\n    write_pid('${pidFile}', number)\n    show(stop(), ask(port, 'GET', '/a', seconds=3))\nstart(port)\nshow(stop(), ask(port, 'GET', '/a', seconds=3), *[other.poll() for other in strange])", table={"a": 3})
          same(got, [[0, "refused", 0], [0], [0], [None, None], [0, "refused"], [0, "refused"], [0, "refused", None, None]], "stop.sh with a service and without one, beside other programs, with their numbers")
        `,
      },
    ],
    common: scenes({ data, file }),
    alone: text`
      names = ${JSON.stringify(goods.slice(0, 5))} + ["two words", "50%", "ä"]
      table = {name: rng.randint(1, 40) for name in rng.sample(names, 3)}
      asks, wanted, now = [], [], dict(table)
      for _ in range(14):
          name = rng.choice(names)
          path = "/" + urllib.parse.quote(name)
          kind = rng.choice(["get", "get", "add", "add", "all"])
          if kind == "add":
              number = rng.randint(-9, 30)
              now[name] = now.get(name, 0) + number
              asks.append(["POST", path, json.dumps({"${field}": number})])
              wanted.append([[200, {name: now[name]}]])
          elif kind == "all":
              asks.append(["GET", "/${all}", None])
              wanted.append([[200, dict(now)]])
          else:
              asks.append(["GET", path, None])
              wanted.append([[200, {name: now[name]}]] if name in now else [[404, {"error": "${missing}"}]])
      for name in ["two words", "50%", "ä", "no one"]:
          path, number = "/" + urllib.parse.quote(name), rng.randint(-9, 30)
          asks += [["GET", path, None]] + ([["POST", path, json.dumps({"other": [1], "${field}": number})], ["GET", path, None]] if name != "no one" else [])
          wanted.append([[200, {name: now[name]}]] if name in now else [[404, {"error": "${missing}"}]])
          if name != "no one":
              now[name] = now.get(name, 0) + number
              wanted += [[[200, {name: now[name]}]]] * 2
      script = "port = free_port()\nos.chdir('/')\nbegin_slowly()\nshow(start(port))\ndel os.environ['PYTHONPATH']\nfor method, path, body in values['asks']:\n    show(ask(port, method, path, body))\nstop()\nshow(kept())\nport = free_port()\nstart(port)\nshow(ask(port, 'GET', '/${all}'))\nstop()"
      same(scene(script, table=table, asks=asks), [[0], *wanted, [now], [[200, now]]], f"from {table}: {asks}; then what ${data} holds")
    `,
    attempt: `cp ${data} kept; sh start.sh 8123 && python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:8123/${all}", timeout=5).read())'; sh stop.sh; mv kept ${data}`,
    app: { [data]: JSON.stringify({ [d.pick(goods)]: d.int(1, 30), other: d.int(1, 9) }) },
  };
}
