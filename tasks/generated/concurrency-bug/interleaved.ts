import { text } from "../text.ts";

/**
 * Python for a verifier: `interleaved(file, scenario, **values)` runs a scenario with the answer's module as `module`, in a process of its own where
 * every thread stops for a drawn moment between any two instructions of the answer's code. What can happen in between, does.
 */
export const interleaved = text`
  DRIVER = r'''
  import importlib.util, json, os, random, sys, threading, time

  HERE = os.getcwd() + os.sep


  def pause(frame, event, _):
      if random.random() < 0.3:
          time.sleep(random.choice([0, 0.0001, 0.0005, 0.001]))
      return pause


  def tracer(frame, event, _):
      if not frame.f_code.co_filename.startswith(HERE):
          return None
      frame.f_trace_opcodes = True
      return pause


  def load(file):
      spec = importlib.util.spec_from_file_location("subject", HERE + file)
      module = importlib.util.module_from_spec(spec)
      spec.loader.exec_module(module)
      return module


  def at_once(*calls, seconds=30):
      """Makes calls in threads of their own, all begun together; answers their values or the names of their exceptions, in order."""
      answers, gate = [None] * len(calls), threading.Barrier(len(calls))

      def one(i, call):
          gate.wait()
          try:
              answers[i] = call()
          except Exception as error:
              answers[i] = "raised " + type(error).__name__

      threads = [threading.Thread(target=one, args=(i, call), daemon=True) for i, call in enumerate(calls)]
      threading.settrace(tracer)
      for thread in threads:
          thread.start()
      end = time.monotonic() + seconds
      for thread in threads:
          thread.join(max(0, end - time.monotonic()))
      threading.settrace(None)
      if any(thread.is_alive() for thread in threads):
          answer("stuck")
      return answers


  def answer(value):
      print("\n" + json.dumps(value), flush=True)
      os._exit(0)


  sys.setswitchinterval(1e-5)
  values = json.load(sys.stdin)
  module = load(sys.argv[1])
  '''


  def interleaved(file, scenario, **values):
      """What the scenario has given to \`answer\`."""
      printed = output(["python3", "-c", DRIVER + scenario, file], cwd=copy_of_app(), stdin=json.dumps(values), timeout=100)
      return json.loads(printed.splitlines()[-1])
`;
