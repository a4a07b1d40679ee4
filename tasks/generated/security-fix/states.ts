import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import type { HoledProgram } from "./holed-program.ts";

/** Data that is carried out: pickles, eval of a value and of a sum, a format string that reaches into objects. */
export function states(d: Draw): HoledProgram {
  const folder = d.pick(["states", "saved", "sessions", "profiles"]);
  const file = `${d.pick(["restore", "resume", "loader"])}_${folder}.py`;
  const [load, value, render, sum] = d.pick([
    ["load", "value", "render", "sum"],
    ["open", "parse", "fill", "calc"],
    ["restore", "literal", "greet", "reckon"],
  ] as const);
  const [first, second] = d.pick([
    ["name", "city"],
    ["user", "plan"],
    ["title", "year"],
  ] as const);
  const source = text`
    import ast
    import json
    import os
    import pickle
    import re
    import sys


    class Refused(Exception):
        pass


    class PlainData(pickle.Unpickler):
        def find_class(self, module, name):
            raise Refused("state")


    class Card:
        """What a template may tell."""

        key = open("private/key").read().strip()

        def __init__(self, ${first}, ${second}):
            self.${first}, self.${second} = ${first}, ${second}


    def load(name):
        if name not in os.listdir("${folder}"):
            raise Refused("missing")
        with open(os.path.join("${folder}", name), "rb") as file:
            state = PlainData(file).load()
        return [json.dumps(state, sort_keys=True)]


    def value(words):
        try:
            return [json.dumps(ast.literal_eval(words), sort_keys=True)]
        except (ValueError, SyntaxError, TypeError):
            raise Refused("value") from None


    def render(template, ${first}, ${second}):
        card = Card(${first}, ${second})
        fields = {"${first}": card.${first}, "${second}": card.${second}}
        return [re.sub(r"\{(${first}|${second})\}", lambda found: fields[found[1]], template)]


    def sum_of(node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in (ast.Add, ast.Sub, ast.Mult):
            left, right = sum_of(node.left), sum_of(node.right)
            return left + right if type(node.op) is ast.Add else left - right if type(node.op) is ast.Sub else left * right
        raise Refused("sum")


    def reckon(words):
        if not re.fullmatch(r"[0-9+*() -]+", words):
            raise Refused("sum")
        try:
            result = sum_of(ast.parse(words, mode="eval").body)
        except (SyntaxError, ValueError):
            raise Refused("sum") from None
        return [str(result)]


    VERBS = {"${load}": load, "${value}": value, "${render}": render, "${sum}": reckon}


    def main():
        for line in sys.stdin:
            verb, *fields = line.rstrip("\n").split("\t")
            try:
                answer = VERBS[verb](*fields)
            except Refused as error:
                answer = [f"error: {error}"]
            except Exception:
                answer = ["error"]
            print(*answer, ".", sep="\n", flush=True)


    main()
  `;
  const loading = "PlainData(file).load()";
  const refuse = '        raise Refused("state")';
  const literal = "ast.literal_eval(words)";
  const fails = "except (ValueError, SyntaxError, TypeError):";
  const filling = String.raw`[re.sub(r"\{(${first}|${second})\}", lambda found: fields[found[1]], template)]`;
  const reckoning = 'sum_of(ast.parse(words, mode="eval").body)';
  const sumFails = 'except (SyntaxError, ValueError):\n        raise Refused("sum")';
  const anyFails = 'except Exception:\n        raise Refused("sum")';
  const characters = String.raw`    if not re.fullmatch(r"[0-9+*() -]+", words):
        raise Refused("sum")
`;
  return {
    file,
    about: `\`${file}\` works with what people have saved.`,
    start: `python3 ${file}`,
    requests: [
      `\`${load} NAME\` answers what the pickle \`${folder}/NAME\` holds, as \`json.dumps(…, sort_keys=True)\` writes it: dicts with texts as keys, lists, tuples, texts, numbers, True, False and None, in any depth and any pickle protocol. The files stay pickles. Without such a file it answers \`error: missing\`.`,
      `\`${value} WORDS\` answers the value that is written as in Python (dicts, lists, tuples, texts, numbers, True, False, None), in the same way.`,
      `\`${render} TEMPLATE ${first.toUpperCase()} ${second.toUpperCase()}\` answers the template with \`{${first}}\` and \`{${second}}\` replaced.`,
      `\`${sum} WORDS\` answers the value of a sum of whole numbers from 0 with \`+\`, \`-\`, \`*\` between two values each, parentheses and spaces.`,
    ],
    source,
    holes: [
      {
        name: "pickles",
        promise: `\`${load}\` of a pickle that names a class or a function, whichever it is, answers \`error: state\`, and nothing in it is carried out.`,
        told: `with a file of their own in \`${folder}/\`, people make \`${load}\` carry out what they like.`,
        example: `${load}\tevil`,
        open: [[loading, "pickle.load(file)"]],
        half: [
          [refuse, '        if module != "builtins":\n            raise Refused("state")\n        return super().find_class(module, name)'],
        ],
        blunt: [[loading, "json.load(file)"]],
        attack: text`
          names = [f"gift{number}" for number in range(7)]
          return [["${load}", name] for name in names]
        `,
      },
      {
        name: "values",
        promise: `\`${value}\` with anything else than such a value, a call or a name of something for instance, answers \`error: value\`, and nothing is carried out.`,
        told: `\`${value}\` carries out any Python that it is given.`,
        example: `${value}\t__import__("os").getcwd()`,
        open: [[literal, "eval(words)"], [fails, "except Exception:"]], // prettier-ignore
        half: [[literal, 'eval(words, {"__builtins__": {}})'], [fails, "except Exception:"]], // prettier-ignore
        blunt: [[literal, "json.loads(words)"]],
        attack: text`
          proof = f"proof{rng.randrange(10**6)}"
          tries = ["open('private/key').read()", "().__class__.__name__", "len('abc')", "[x for x in (1, 2)]", "'a'.upper()", "1 if True else 2", "Card", "'%s' % 1", "b'x'", "{1, 2}", "2j", "...", "[1", "", "1 2", "f'{1}'"]
          return [["${value}", words] for words in [f"open('{proof}', 'w').write('x')", "(1).__class__.__name__", *tries]]
        `,
      },
      {
        name: "templates",
        promise: `For \`${render}\`, everything in a template but \`{${first}}\` and \`{${second}}\` stays as it is, other braces too, and what is put in is not looked at again.`,
        told: `a template of \`${render}\` can tell the program's key.`,
        example: `${render}\tkey: {card.key}\tada\tx`,
        open: [[filling, "[template.format(card=card, **fields)]"]],
        half: [
          [filling, 'template.format(card=card, **fields).splitlines() if "card" not in template and "__" not in template else [template]'],
        ],
        blunt: [
          [
            filling,
            `[template.replace("{", "").replace("}", "").replace("${first}", fields["${first}"]).replace("${second}", fields["${second}"])]`,
          ],
        ],
        attack: text`
          tries = ["{card.key}", "{${first}.__class__}", "{card.__init__.__globals__}", "{{${first}}}", "{${first}!r}", "{${second}:>9}", "{", "{}", "{0}", "}{${second}}{"]
          told = [["${render}", template, "ada", "x"] for template in ["{card.key}", "{${first}!r:>40}", "a } b {${first}}", *tries]]
          return told + [["${render}", "{${first}} {${second}}", "{${second}}", "{${first}}"]]
        `,
      },
      {
        name: "sums",
        promise: `\`${sum}\` with anything else, such as names, calls, powers (\`**\`), divisions or a sign before a number, answers \`error: sum\` at once.`,
        told: `\`${sum}\` carries out any Python that it is given, and some sums keep it busy for ever.`,
        example: `${sum}\topen("private/key").read()`,
        open: [
          [characters, ""],
          [reckoning, "eval(words)"],
          [sumFails, anyFails],
        ],
        half: [
          [reckoning, "eval(words)"],
          [sumFails, anyFails],
        ],
        blunt: [[characters, String.raw`    if not re.fullmatch(r"[0-9+-]+", words):
        raise Refused("sum")
`]], // prettier-ignore
        attack: text`
          proof = f"proof{rng.randrange(10**6)}"
          tries = ["2 ** 3", "7 // 2", "-5", "+5", "(-5)", "7 / 2", "7 % 2", "()", "2 (3)", "1 2", "1 + (2", "True + 1", "1 < 2", "len('ab')", "1.5 + 1", "3 +- 2", "2 * (3,)", "'a' * 3", "1 if 1 else 2"]
          return [["${sum}", words] for words in [f"open('{proof}', 'w').write('x')", "2 ** 3 ** 2", "2**10", *tries]]
        `,
      },
    ],
    world: text`
      import pickle


      class Gift:
          def __init__(self, *parts):
              self.parts = parts

          def __reduce__(self):
              return self.parts


      def plain(depth):
          kinds = [lambda: rng.randint(-9, 10**12), lambda: rng.choice(["", "it's", "snow", "{name}"]), lambda: rng.choice([True, False, None, 2.5])]
          if depth:
              kinds += [lambda: [plain(depth - 1) for _ in range(rng.randint(0, 3))]] * 2
              kinds += [lambda: {key: plain(depth - 1) for key in rng.sample("abcd", 2)}, lambda: (plain(depth - 1), 1)]
          return rng.choice(kinds)()


      import collections
      import subprocess

      put("private/key", f"key{rng.randrange(10**9)}\n")
      states = {name: plain(3) for name in rng.sample(["ada", "leo", "x y", "last.pickle", "old", "7"], 4)}
      proof = f"proof{rng.randrange(10**6)}"
      gifts = [
          Gift(os.system, (f"touch {proof}",)),
          [1, Gift(exec, (f"open('{proof}', 'w').write('x')",))],
          {"a": Gift(eval, ("1 + 1",))},
          Gift(subprocess.check_output, (["id", "-u"],)),
          Gift(getattr, ("abc", "upper")),
          [Gift(open, ("private/key",))],
          {"b": collections.OrderedDict(a=1)},
      ]
      rng.shuffle(gifts)
      os.makedirs(os.path.join(folder, "${folder}"), exist_ok=True)
      for name, state in [*states.items(), *((f"gift{number}", gift) for number, gift in enumerate(gifts))]:
          with open(os.path.join(folder, "${folder}", name), "wb") as file:
              pickle.dump(state, file, protocol=rng.choice([0, 2, 4, 5]))
      return list(states)
    `,
    honest: text`
      requests = [["${load}", name] for name in WORLD] + [["${load}", "none"]]
      sums = ["1 + 2", "2*(3+4)", "10 - 2 - 3", "((7))", "2 * 3 + 4 * 5", "100*100", "8"]
      values = ["[1, 'a', None]", "{'b': (1, 2), 'a': True}", "'it\\'s'", "2.5", "-3", "()", '"q"']
      templates = ["hello {${first}}", "{${first}} of {${second}}", "{${second}}{${second}}", "none"]
      for _ in range(10):
          requests.append(rng.choice([["${sum}", rng.choice(sums)], ["${value}", rng.choice(values)], ["${render}", rng.choice(templates), rng.choice(["ada", "o'neil", r"a\1"]), "x y"]]))
      return requests + [["${sum}", "2 * (3 + 4)"], ["${value}", "{'a': (1, None)}"], ["${render}", "{${first}}, {${second}}", "ada", "x"], ["${render}", "by ${first}: {${first}}", "ada", "x"]]
    `,
    sample: {
      "private/key": "not for strangers\n",
      [`${folder}/evil`]: "cos\nsystem\n(S'id'\ntR.",
      [`${folder}/ada`]: "(lp0\nI1\naI2\na.",
    },
  };
}
