import { text } from "../text.ts";

/**
 * Python for a verifier: `scene(script, table, **values)` carries out a script in a copy of the working directory whose data are `table`, and answers
 * what it has shown. A script starts and stops the service, asks it, kills it; whatever it has started is ended after it.
 */
export const scenes = ({ data, file }: { readonly data: string; readonly file: string }): string => text`
  import urllib.parse

  STAGE = r'''
  import http.client, json, os, signal, socket, subprocess, sys, tempfile, time

  HERE, shown = os.getcwd(), []
  values = json.load(sys.stdin)
  # All that is started from here inherits it.
  MARK = f"SCENE={os.getpid()}-{time.monotonic_ns()}"
  os.environ["SCENE"] = MARK.partition("=")[2]


  def free_port():
      with socket.socket() as one:
          one.bind(("127.0.0.1", 0))
          return one.getsockname()[1]


  def script(name, *arguments):
      quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
      try:
          return subprocess.run(["sh", os.path.join(HERE, name), *arguments], timeout=25, **quiet).returncode
      except subprocess.TimeoutExpired:
          return "too slow"


  def start(port):
      code = script("start.sh", str(port))
      if code != 0:
          # All that follows would wait in vain.
          kill_all()
          show(f"start.sh: {code}")
          print("\n" + json.dumps(shown))
          sys.stdout.flush()
          os._exit(0)
      return code


  def stop():
      return script("stop.sh")


  def ask(port, method, path, body=None, seconds=10, headers={}):
      try:
          connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
          connection.request(method, path, body, headers)
          answer = connection.getresponse()
          return [answer.status, json.loads(answer.read())]
      except ConnectionRefusedError:
          return "refused"
      except Exception as error:
          return type(error).__name__


  def others():
      """Processes that were started from the working directory's copy, wherever they are by now: a service may leave its directory, or its environment."""
      for name in os.listdir("/proc"):
          if name.isdigit() and int(name) != os.getpid():
              try:
                  if (os.readlink(f"/proc/{name}/cwd") + "/").startswith(HERE + "/") or HERE in told(name, "cmdline") or MARK in told(name, "environ"):
                      yield int(name)
              except OSError:
                  pass


  def told(name, what):
      with open(f"/proc/{name}/{what}", "rb") as file:
          return file.read().decode(errors="replace")


  def kill_all():
      """Until none is left, so that one that watches over another does not start it again."""
      for _ in range(20):
          pids = list(others())
          if not pids:
              return
          for pid in pids:
              try:
                  os.kill(pid, signal.SIGKILL)
              except OSError:
                  pass
          time.sleep(0.1)


  def strangers():
      """Programs that have nothing to do with the service: one of the same name in another folder, and another one in this folder."""
      elsewhere = tempfile.mkdtemp(dir=os.environ["HOME"])
      with open(os.path.join(elsewhere, "${file}"), "w") as file:
          file.write("import time\ntime.sleep(300)\n")
      quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
      return [subprocess.Popen(["python3", "${file}", "8080"], cwd=elsewhere, **quiet), subprocess.Popen(["sleep", "300"], cwd=HERE, **quiet)]


  def begin_slowly():
      """A service that is started now takes some seconds before it listens."""
      folder = tempfile.mkdtemp(dir=os.environ["HOME"])
      with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
          file.write("import sys, time\ntime.sleep(2.5 if '${file}' in ' '.join(sys.orig_argv) else 0)\n")
      os.environ["PYTHONPATH"] = folder


  def write_pid(name, pid):
      if os.path.lexists(os.path.join(HERE, name)):
          os.remove(os.path.join(HERE, name))
      with open(os.path.join(HERE, name), "w") as file:
          file.write(f"{pid}\n")


  def kept():
      """What the file of the data holds."""
      try:
          with open(os.path.join(HERE, "${data}"), encoding="utf-8") as file:
              return json.load(file)
      except (OSError, ValueError) as error:
          return type(error).__name__


  def show(*answers):
      shown.append(list(answers))


  try:
      exec(values["script"])
  finally:
      kill_all()
  print("\n" + json.dumps(shown))
  '''


  def scene(script, table, **values):
      place = copy_of_app()
      for name in ("${data}", "${data}.new"):
          path = os.path.join(place, name)
          if os.path.islink(path) or os.path.isfile(path):
              os.remove(path)
      write("${data}", json.dumps(table), place)
      share(place)
      return json.loads(output(["python3", "-c", STAGE], cwd=place, stdin=json.dumps({**values, "script": script}), timeout=150).splitlines()[-1])
`;
