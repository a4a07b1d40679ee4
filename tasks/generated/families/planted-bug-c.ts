import type { Family } from "../family.ts";
import { cache } from "../planted-bug-c/cache.ts";
import { wholeNumbers } from "../planted-bug-c/whole-numbers.ts";
import { drawPlantedBug, type Language, type Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

const stack: Subject = {
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

const intern: Subject = {
  names: ["intern", "distinct", "names"],
  promises: [
    "Each line of the input (at most 200 characters, all ASCII) is a name; names that differ only in capitals are the same.",
    "It prints every name once, as it was first written, in the order of first appearance, followed by a space and how often it came.",
    "Empty lines are skipped. There may be any number of different names, and a name may come any number of times.",
  ],
  source: text`
    #include <ctype.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>

    struct entry {
        char *name;
        int count;
    };

    static struct entry *entries;
    static size_t used, room;

    static int same(const char *a, const char *b)
    {
        while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
            a++;
            b++;
        }
        return *a == '\0' && *b == '\0';
    }

    static void add(const char *name)
    {
        for (size_t i = 0; i < used; i++) {
            if (same(entries[i].name, name)) {
                entries[i].count++;
                return;
            }
        }
        if (used == room) {
            room = room ? room * 2 : 4;
            entries = realloc(entries, room * sizeof *entries);
        }
        entries[used].name = strdup(name);
        entries[used].count = 1;
        used++;
    }

    int main(void)
    {
        char line[256];
        while (fgets(line, sizeof line, stdin)) {
            line[strcspn(line, "\n")] = '\0';
            if (line[0] != '\0')
                add(line);
        }
        for (size_t i = 0; i < used; i++)
            printf("%s %d\n", entries[i].name, entries[i].count);
        return 0;
    }
  `,
  bugs: [
    { right: "strdup(name)", wrong: "(char *)name", symptom: "all names come out as the last one.", input: "ada\nleo\n" },
    {
      right: "return *a == '\\0' && *b == '\\0';",
      wrong: "return *a == '\\0';",
      symptom: "a name is taken for another one that begins with it.",
      input: "ann\nanna\nan\nann\n",
    },
    {
      right: "room ? room * 2 : 4",
      wrong: "room ? room : 4",
      symptom: "it crashes or loses names when there are many.",
      input: Array.from({ length: 60 }, (_, i) => `name number ${i}\n`).join(""),
    },
    {
      right: "        if (line[0] != '\\0')\n            add(line);",
      wrong: "        add(line);",
      symptom: "empty lines are counted as a name.",
      input: "ada\n\nada\n",
    },
    { right: "entries[used].count = 1;", wrong: "entries[used].count = 0;", symptom: "all counts are too small.", input: "ada\nAda\n" },
  ],
  deeper: [
    { right: "char line[256];", wrong: "char line[128];", input: `${"long".repeat(50)}\n${"long".repeat(50)}\n` },
    { right: "int count;", wrong: "unsigned char count;", input: "ada\n".repeat(300) },
    {
      right: "while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {",
      wrong: "while (*a && *b && (*a | 32) == (*b | 32)) {",
      input: "room@home\nroom`home\n",
    },
  ],
  short: {
    "a-larger-table": [
      ["static struct entry *entries;\nstatic size_t used, room;", "static struct entry entries[1000];\nstatic size_t used;"],
      [
        "    if (used == room) {\n        room = room ? room * 2 : 4;\n        entries = realloc(entries, room * sizeof *entries);\n    }\n",
        "    if (used == 1000)\n        return;\n",
      ],
    ],
    "cuts-long-names": [
      ["    char *name;", "    char name[64];"],
      ["    entries[used].name = strdup(name);", '    snprintf(entries[used].name, sizeof entries[used].name, "%s", name);'],
    ],
  },
  edges: text`
    long = "".join(rng.choice("abcdefgh") for _ in range(199))
    many = rng.sample(range(16**6), 5000)
    return [
        "",
        "\n\n",
        "\nada\n\nADA\n",
        "ann\nanna\nan\nAnn\nANNA\n",
        "two words\nTWO words\ntwo  words\n two words\n",
        "a@b\na\`b\n[x]\n{x}\nx_1\nX_1\nx?1\n",
        f"{long}x\n{long}y\n{long.upper()}X\n{long}\n",
        "".join(f"{one:06x}\n" for one in many),
        "x\n" * 70000,
    ]
  `,
  input: text`
    pool = ["ada", "Ada", "ADA", "leo", "an", "ann", "Anna", "", "two words", "x"]
    return "".join(rng.choice(pool) + "\n" for _ in range(rng.randint(0, 40)))
  `,
};

const matrix: Subject = {
  names: ["spiral", "grid", "matrix"],
  promises: [
    "The first line holds ROWS and COLUMNS (1 to 50 each), then come the rows: whole numbers of at most 9 digits with spaces between them.",
    "The first line printed holds all numbers in a spiral: along the first row, down the last column, back along the last row, up the first column, and so on inwards.",
    "Then it prints the sum of each row and, in the last line, the sums of the columns; numbers in a line are separated by one space.",
  ],
  source: text`
    #include <stdio.h>

    #define MOST 50

    static int rows, columns, printed;
    static long cell[MOST][MOST];

    static void show(long number)
    {
        printf(printed++ ? " %ld" : "%ld", number);
    }

    static void spiral(void)
    {
        int top = 0, bottom = rows - 1, left = 0, right = columns - 1;
        while (top <= bottom && left <= right) {
            for (int c = left; c <= right; c++)
                show(cell[top][c]);
            top++;
            for (int r = top; r <= bottom; r++)
                show(cell[r][right]);
            right--;
            if (top <= bottom) {
                for (int c = right; c >= left; c--)
                    show(cell[bottom][c]);
                bottom--;
            }
            if (left <= right) {
                for (int r = bottom; r >= top; r--)
                    show(cell[r][left]);
                left++;
            }
        }
        printf("\n");
    }

    int main(void)
    {
        if (scanf("%d %d", &rows, &columns) != 2)
            return 1;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                if (scanf("%ld", &cell[r][c]) != 1)
                    return 1;
        spiral();
        for (int r = 0; r < rows; r++) {
            long sum = 0;
            for (int c = 0; c < columns; c++)
                sum += cell[r][c];
            printf("%ld\n", sum);
        }
        printed = 0;
        for (int c = 0; c < columns; c++) {
            long sum = 0;
            for (int r = 0; r < rows; r++)
                sum += cell[r][c];
            show(sum);
        }
        printf("\n");
        return 0;
    }
  `,
  bugs: [
    {
      right: "        if (top <= bottom) {\n",
      wrong: "        {\n",
      symptom: "a single row is printed there and back.",
      input: "1 3\n1 2 3\n",
    },
    {
      right: "        if (left <= right) {\n",
      wrong: "        {\n",
      symptom: "a single column is printed down and up.",
      input: "3 1\n1\n2\n3\n",
    },
    { right: "    printed = 0;\n", wrong: "", symptom: "the last line starts with a space.", input: "2 2\n1 2\n3 4\n" },
    {
      right: "show(cell[r][right]);\n        right--;",
      wrong: "show(cell[r][right]);\n        right -= 1 + (right > left + 2);",
      symptom: "wide grids lose numbers.",
      input: "3 5\n1 2 3 4 5\n6 7 8 9 10\n11 12 13 14 15\n",
    },
    {
      right: "        long sum = 0;\n        for (int r = 0;",
      wrong: "        static long sum = 0;\n        for (int r = 0;",
      symptom: "the sums of the columns grow and grow.",
      input: "1 2\n5 7\n",
    },
  ],
  deeper: [
    { right: "#define MOST 50", wrong: "#define MOST 40", input: `2 50\n${Array.from({ length: 100 }, (_, i) => i).join(" ")}\n` },
    {
      right: 'printf("%ld\\n", sum);',
      wrong: 'printf("%d\\n", (int)sum);',
      input: `1 30\n${"900000000 ".repeat(30)}\n`,
    },
  ],
  short: {
    "loses-the-middle": [["while (top <= bottom && left <= right) {", "while (top < bottom && left < right) {"]],
    "only-for-small-grids": [["#define MOST 50", "#define MOST 16"]],
  },
  edges: text`
    def grid(rows, columns, least, most):
        return f"{rows} {columns}\n" + "".join(" ".join(str(rng.randint(least, most)) for _ in range(columns)) + "\n" for _ in range(rows))
    sizes = [(1, 1), (1, 5), (5, 1), (2, 2), (3, 3), (4, 5), (5, 4), (2, 50), (50, 2), (1, 50), (50, 1), (50, 50)]
    return [grid(*size, -99, 99) for size in sizes] + [grid(12, 12, 900000000, 999999999), grid(12, 12, -999999999, -900000000)]
  `,
  input: text`
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    return f"{rows} {columns}\n" + "".join(" ".join(str(rng.randint(-99, 99)) for _ in range(columns)) + "\n" for _ in range(rows))
  `,
};

export const c: Language = {
  name: "C",
  extension: "c",
  subjects: [stack, intern, matrix],
  longer: [wholeNumbers, cache],
  build: (file) => `gcc -O1 -o program ${file}`,
  run: () => "./program",
};

/** One of several C programs, broken in one to four ways. */
export const plantedBugC: Family = {
  name: "planted-bug-c",
  summary: "repair a C program by its promises; up to four bugs, of which not all show in the example",
  split: "test",
  tags: ["bugfix", "c"],
  draw: drawPlantedBug(c),
};
