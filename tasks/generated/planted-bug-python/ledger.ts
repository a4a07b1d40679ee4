import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const ledger: Subject = {
  names: ["ledger", "accounts", "balances"],
  promises: [
    "Each line is `deposit NAME CENTS`, `withdraw NAME CENTS` or `move FROM TO CENTS`; all amounts are whole numbers above 0.",
    "An account that is named for the first time starts at 0.",
    "A withdrawal or move of more than the account holds is left out and counted as refused; one of exactly what it holds is carried out.",
    "At the end it prints each account that was named as `NAME CENTS` in alphabetical order, also the empty ones, and then `refused N`.",
  ],
  source: text`
    import sys


    class Ledger:
        def __init__(self):
            self.accounts = {}
            self.refused = 0

        def open(self, *names):
            for name in names:
                self.accounts.setdefault(name, 0)

        def deposit(self, name, cents):
            self.open(name)
            self.accounts[name] += cents

        def withdraw(self, name, cents):
            self.open(name)
            if self.accounts[name] < cents:
                self.refused += 1
                return False
            self.accounts[name] -= cents
            return True

        def move(self, source, target, cents):
            self.open(source, target)
            if self.withdraw(source, cents):
                self.deposit(target, cents)


    def main():
        ledger = Ledger()
        for line in sys.stdin:
            verb, *names, cents = line.split()
            getattr(ledger, verb)(*names, int(cents))
        for name in sorted(ledger.accounts):
            print(name, ledger.accounts[name])
        print("refused", ledger.refused)


    main()
  `,
  bugs: [
    {
      right: "self.accounts[name] < cents",
      wrong: "self.accounts[name] <= cents",
      symptom: "an account cannot be emptied.",
      input: "deposit ada 500\nwithdraw ada 500\n",
    },
    {
      right: "if self.withdraw(source, cents):\n            self.deposit(target, cents)",
      wrong: "self.withdraw(source, cents)\n        self.deposit(target, cents)",
      symptom: "money comes out of nowhere when a move is refused.",
      input: "deposit ada 100\nmove ada leo 300\n",
    },
    {
      right: "self.refused += 1\n            return False",
      wrong: "return False",
      symptom: "refusals are not counted.",
      input: "withdraw ada 100\n",
    },
    {
      right: "self.accounts.setdefault(name, 0)",
      wrong: "self.accounts[name] = self.accounts.get(name) or 100",
      symptom: "accounts hold money that nobody paid in.",
      input: "deposit ada 50\n",
    },
    {
      right: "in sorted(ledger.accounts)",
      wrong: "in ledger.accounts",
      symptom: "the accounts are not in alphabetical order.",
      input: "deposit zoe 1\ndeposit ada 2\n",
    },
  ],
  deeper: [
    { right: "self.open(source, target)", wrong: "self.open(source)", input: "move ada leo 5\n" },
    {
      right: "def withdraw(self, name, cents):\n        self.open(name)",
      wrong: "def withdraw(self, name, cents):\n        if name not in self.accounts:\n            return False",
      input: "withdraw zoe 5\n",
    },
  ],
  short: {
    "leaves-out-empty-accounts": [
      ["        print(name, ledger.accounts[name])", "        if ledger.accounts[name]:\n            print(name, ledger.accounts[name])"],
    ],
    "allows-a-debt": [["if self.accounts[name] < cents:", "if self.accounts[name] <= 0:"]],
  },
  edges: text`
    return [
        "",
        "withdraw ada 5\n",
        "move ada leo 5\n",
        "deposit ada 500\nwithdraw ada 500\nwithdraw ada 1\n",
        "deposit ada 500\nmove ada leo 500\nmove ada leo 1\nmove leo mina 501\n",
        "deposit zoe 1\ndeposit ada 2\ndeposit mina 3\nwithdraw leo 4\n",
        "deposit ada 10\ndeposit ada 5\nwithdraw ada 7\nmove ada zoe 3\ndeposit zoe 1\n",
        "deposit ada 99999999999\nmove ada leo 1\n",
    ]
  `,
  input: text`
    names = ["ada", "leo", "mina", "zoe"]
    lines = []
    for _ in range(rng.randint(1, 25)):
        cents = rng.choice([50, 100, 100, 200, rng.randint(1, 400)])
        a, b = rng.sample(names, 2)
        lines.append(rng.choice([f"deposit {a} {cents}", f"deposit {a} {cents}", f"withdraw {a} {cents}", f"move {a} {b} {cents}"]))
    return "\n".join(lines) + "\n"
  `,
};
