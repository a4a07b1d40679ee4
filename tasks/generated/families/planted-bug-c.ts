import type { Family } from "../family.ts";
import { drawPlantedBug, type Language, type Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

const stack: Subject = {
  names: ["rpn", "calc", "postfix"],
  promises: [
    "Each line is an expression in postfix notation: whole numbers and `+`, `-`, `*`, `/` with one space between them; for each line it prints the result.",
    "`a b -` is a − b, and `a b /` is a / b, rounded towards zero.",
    "A division by 0, an operator without two numbers before it, and anything left over print `error`; then it goes on with the next line.",
    "A line holds at most 100 numbers.",
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
    "Each line of the input (at most 200 letters) is a name; names that differ only in capitals are the same.",
    "It prints every name once, as it was first written, in the order of first appearance, followed by a space and how often it came.",
    "Empty lines are skipped. There may be any number of different names.",
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
      symptom: "a name that starts like another one is not told from it.",
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
  input: text`
    pool = ["ada", "Ada", "ADA", "leo", "an", "ann", "Anna", "", "two words", "x"]
    return "".join(rng.choice(pool) + "\n" for _ in range(rng.randint(0, 40)))
  `,
};

const matrix: Subject = {
  names: ["spiral", "grid", "matrix"],
  promises: [
    "The first line holds ROWS and COLUMNS (1 to 50 each), then come the rows, whole numbers with spaces between them.",
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
  input: text`
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    return f"{rows} {columns}\n" + "".join(" ".join(str(rng.randint(-99, 99)) for _ in range(columns)) + "\n" for _ in range(rows))
  `,
};

export const c: Language = {
  name: "C",
  extension: "c",
  subjects: [stack, intern, matrix],
  start: (file) => `gcc -O1 -o program ${file} && ./program`,
};

/** One of several C programs, broken in one to three ways. */
export const plantedBugC: Family = {
  name: "planted-bug-c",
  summary: "repair a C program by its promises; up to three bugs, of which not all show in the examples",
  split: "test",
  tags: ["bugfix", "c"],
  draw: drawPlantedBug(c),
};
