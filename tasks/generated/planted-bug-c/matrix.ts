import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const matrix: Subject = {
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
