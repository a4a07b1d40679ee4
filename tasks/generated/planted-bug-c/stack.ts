import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const stack: Subject = {
  names: ["rpn", "calc", "postfix"],
  promises: [
    "Each line is an expression in postfix notation: whole numbers and `+`, `-`, `*`, `/` with one space between them; for each line it prints the result.",
    "`a b -` is a − b, and `a b /` is a / b, rounded towards zero.",
    "A division by 0, an operator without two numbers before it, and numbers left over print `error`; then it goes on with the next line.",
    "A line holds at most 100 numbers. Numbers and results, also those in between, have at most 18 digits.",
  ],
  source: text`
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>

    #define MOST 100

    static long stack[MOST];
    static int depth;

    /* 1 when the operator could be applied to the two upper numbers. */
    static int apply(char operator)
    {
        if (depth < 2)
            return 0;
        long b = stack[--depth];
        long a = stack[--depth];
        switch (operator) {
        case '+': stack[depth++] = a + b; return 1;
        case '-': stack[depth++] = a - b; return 1;
        case '*': stack[depth++] = a * b; return 1;
        case '/':
            if (b == 0)
                return 0;
            stack[depth++] = a / b;
            return 1;
        }
        return 0;
    }

    static int evaluate(char *line)
    {
        depth = 0;
        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
            if (strchr("+-*/", word[0]) && word[1] == '\0') {
                if (!apply(word[0]))
                    return 0;
            } else {
                stack[depth++] = strtol(word, NULL, 10);
            }
        }
        return depth == 1;
    }

    int main(void)
    {
        char line[4096];
        while (fgets(line, sizeof line, stdin)) {
            if (evaluate(line))
                printf("%ld\n", stack[0]);
            else
                printf("error\n");
        }
        return 0;
    }
  `,
  bugs: [
    { right: "depth < 2", wrong: "depth < 3", symptom: "a sum of two numbers is an error.", input: "5 1 +\n" },
    { right: "a - b; return 1;", wrong: "b - a; return 1;", symptom: "subtraction goes the wrong way.", input: "7 2 -\n" },
    { right: "        if (b == 0)\n            return 0;\n", wrong: "", symptom: "it crashes on a division by 0.", input: "9 4 0 / +\n" },
    { right: "    depth = 0;\n", wrong: "", symptom: "every second line goes wrong.", input: "1 2 +\n3 4 +\n" },
    { right: " && word[1] == '\\0'", wrong: "", symptom: "negative numbers are taken for an operator.", input: "-3 5 +\n" },
    { right: "return depth == 1;", wrong: "return depth >= 1;", symptom: "numbers left over go unnoticed.", input: "1 2\n" },
  ],
  deeper: [
    { right: "strtol(word, NULL, 10)", wrong: "atoi(word)", input: "3000000000 1 +\n" },
    { right: "char line[4096];", wrong: "char line[256];", input: `${"7 ".repeat(99)}7${" +".repeat(99)}\n` },
    { right: 'printf("%ld\\n", stack[0]);', wrong: 'printf("%d\\n", (int)stack[0]);', input: "90000 90000 *\n" },
  ],
  short: {
    "ends-with-the-first-error": [
      [
        '        else\n            printf("error\\n");',
        '        else {\n            printf("error\\n");\n            return 0;\n        }',
      ],
    ],
    "rounds-down": [["stack[depth++] = a / b;", "stack[depth++] = a / b - (a % b != 0 && (a < 0) != (b < 0));"]],
  },
  edges: text`
    long = [str(rng.randint(10**14, 10**15 - 1)) for _ in range(100)]
    return [
        "-7 2 /\n7 -2 /\n-7 -2 /\n-6 2 /\n1 9 /\n",
        "1 0 /\n0 0 /\n1 2 +\n9 4 0 / +\n5\n",
        "+\n1 -\n1 2 + *\n3 4 *\n",
        "1 2\n1 2 + 3\n-4\n10 2 8 * + 3 -\n",
        "3000000000 2 *\n-5000000000 3 /\n999999999 999999999 *\n999999999999999999 -999999999999999999 -1 * -\n",
        " ".join(["3"] * 100 + ["+"] * 99) + "\n" + " ".join(["9"] * 100 + ["-"] * 99) + "\n8 -2 -\n",
        " ".join([long[0], *(f"{one} {'-+'[i % 2]}" for i, one in enumerate(long[1:]))]) + "\n",
        " ".join([*long, *["-"] * 99]) + "\n1\n",
        " ".join("9" * 18 for _ in long) + "\n2\n",
    ]
  `,
  input: text`
    def line():
        words = []
        for _ in range(rng.randint(1, 9)):
            words.append(rng.choice(["+", "-", "*", "/"]) if rng.random() < 0.45 else str(rng.randint(-9, 20)))
        return " ".join(words)
    whole = ["3 4 + 2 *", "-7 2 /", "10 2 8 * + 3 -", "0", "1 0 /", "8 -2 -", " ".join(["3"] * 100 + ["+"] * 99)]
    return "".join((rng.choice(whole) if rng.random() < 0.5 else line()) + "\n" for _ in range(rng.randint(1, 9)))
  `,
};
