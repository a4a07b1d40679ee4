import { text } from "../text.ts";

/**
 * Python for a verifier of programs that share a file: `SLOWLY + TOGETHER` runs many at once, each of which stops for drawn moments between any two
 * of its instructions; `SLOWLY + KILLED` kills one at every such place and tells what it left; `SLOWLY + NEXT` tells whether another one goes on.
 */
export const processes = (data: string): string => text`
  SLOWLY = r'''
  import json, os, random, runpy, signal, subprocess, sys, time

  HERE = os.getcwd() + os.sep
  count, last = 0, None


  def slow(frame, event, _):
      if event == "opcode" and random.random() < 0.2:
          time.sleep(random.choice([0, 0.001, 0.003]))
      return slow


  def deadly(frame, event, _):
      global count
      if event == "opcode":
          count += 1
          if count == last:
              os.kill(os.getpid(), signal.SIGKILL)
      return deadly


  def traced(watch, arguments):
      """Runs the program in a process of its own, watched between any two of its instructions; answers the process's id."""
      def tracer(frame, event, _):
          name = frame.f_code.co_filename
          if not name.startswith("<") and os.path.abspath(name).startswith(HERE):
              frame.f_trace_opcodes = True
              return watch
          return None
      sys.stdout.flush()
      child = os.fork()
      if child:
          return child
      try:
          os.setpgid(0, 0)
          random.seed()
          sys.argv = [sys.argv[1], *arguments]
          sys.path.insert(0, os.getcwd())
          sys.settrace(tracer)
          try:
              runpy.run_path(sys.argv[0], run_name="__main__")
          except SystemExit:
              pass
          sys.settrace(None)
          if watch is deadly:
              open(os.environ["COUNT"], "w").write(str(count))
          sys.stdout.flush()
      finally:
          os._exit(0)


  def found():
      try:
          return json.load(open("${data}", encoding="utf-8"))
      except (OSError, ValueError) as error:
          return type(error).__name__
  '''
  TOGETHER = r'''
  for child in [traced(slow, [name, str(number)]) for name, number in json.load(sys.stdin)]:
      os.waitpid(child, 0)
  '''
  RESET = r'''
  start = json.load(sys.stdin)
  mute = os.open(os.devnull, os.O_WRONLY)
  real = os.dup(1)
  os.dup2(mute, 1)
  os.environ["COUNT"] = os.path.join(os.environ["HOME"], "count")


  def reset():
      for name in os.listdir("."):
          if name not in files and os.path.isfile(name):
              os.remove(name)
      json.dump(start, open("${data}", "w", encoding="utf-8"))


  files = set(os.listdir("."))
  reset()
  os.waitpid(traced(deadly, sys.argv[2:]), 0)
  ended, steps = found(), int(open(os.environ["COUNT"]).read())


  def moments(most, seconds):
      """Places at which to kill, in a drawn order; all of them where neither these nor the time are too many."""
      end = time.monotonic() + seconds
      for place in random.sample(range(1, steps + 1), min(steps, most)):
          if time.monotonic() > end:
              return
          yield place
  '''
  KILLED = RESET + r'''
  left = []
  for last in moments(2000, 25):
      reset()
      os.waitpid(traced(deadly, sys.argv[2:]), 0)
      left.append(found())
  os.dup2(real, 1)
  print(json.dumps({"ended": ended, "found": [table for i, table in enumerate(left) if table not in left[:i]]}))
  '''
  NEXT = RESET + r'''
  waits = []
  for last in moments(60, 20):
      reset()
      os.waitpid(traced(deadly, sys.argv[2:]), 0)
      before = found()
      try:
          subprocess.run([sys.executable, *sys.argv[1:]], stdout=mute, stderr=mute, timeout=12)
          went_on = isinstance(before, dict) and found() == {**before, "b": before["b"] + int(sys.argv[3])}
      except subprocess.TimeoutExpired:
          went_on = False
      if not went_on:
          waits.append(last)
          break
  os.dup2(real, 1)
  print(json.dumps(waits))
  '''


  def put(place, table):
      path = os.path.join(place, "${data}")
      if os.path.islink(path) or os.path.isfile(path):
          os.remove(path)
      write("${data}", json.dumps(table), place)
      share(place)


  def table_of(place):
      return json.loads(read("${data}", place))


  def orders(start, steps, reached):
      """Whether the steps can be made in an order in which these numbers are reached."""
      if not steps:
          return not reached
      return any(
          start + step in reached and orders(start + step, steps[:i] + steps[i + 1 :], minus(reached, start + step))
          for i, step in enumerate(steps)
          if step not in steps[:i]
      )


  def minus(numbers, one):
      rest = list(numbers)
      rest.remove(one)
      return rest
`;
