import { text } from "../text.ts";

/** Makes the calls that come in on standard input and prints what each answered; an exception is told by its type. */
const driver = text`
  import importlib, json, sys


  def drive(cls, arguments, calls, clocked):
      now = [1000]
      clock = {"clock": lambda: now[0]} if clocked else {}
      instance, answers = cls(*arguments, **clock), []
      for name, *given in calls:
          if name == "sleep":
              now[0] += given[0]
              answers.append(None)
              continue
          try:
              answers.append(getattr(instance, name)(*given))
          except Exception as error:
              answers.append({"raised": type(error).__name__})
      return answers
`;

/** Python: `compare(active)` by a function `drawn(active)` that answers the constructor's arguments and a list of calls. */
export const moduleCompare = (request: { file: string; name: string; source: string; clocked: boolean; drawn: string }): string => text`
  DRIVER = ${JSON.stringify(driver)}
  RIGHT = {}
  exec(DRIVER + ${JSON.stringify(request.source)}, RIGHT)


  ${request.drawn}


  def compare(active):
      arguments, calls = drawn(active)
      wanted = RIGHT["drive"](RIGHT["${request.name}"], arguments, calls, ${request.clocked ? "True" : "False"})
      runner = DRIVER + 'cls = getattr(importlib.import_module("${request.file.replace(/\.py$/, "")}"), "${request.name}")\n'
      runner += 'print("\\n" + json.dumps(drive(cls, *json.load(sys.stdin), ${request.clocked ? "True" : "False"})))\n'
      printed = output(["python3", "-c", runner], stdin=json.dumps([arguments, calls]))
      got = json.loads(printed.splitlines()[-1])
      expect(len(got) == len(calls), "calls are missing")
      for number, (call, right, answer) in enumerate(zip(calls, wanted, got)):
          expect(not isinstance(right, dict) or right["raised"] in ("ValueError", "KeyError", "IndexError"), f"the verifier's own class fails at {call}")
          same(answer, json.loads(json.dumps(right)), f"{arguments} {calls[: number + 1]}")
`;
