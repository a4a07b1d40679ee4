import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

/** Arithmetic with whole numbers of any sign that fit no type. */
export const wholeNumbers: Subject = {
  names: ["bignum", "long_sums", "exact"],
  promises: [
    "Each line is `X OP Y` with one space on both sides of OP: whole numbers of at most 200 digits, with or without a minus sign and leading zeros, and OP is one of `+`, `-`, `*` and `?`.",
    "For `+`, `-` and `*` it prints the exact result, without leading zeros; 0 is printed as `0`, never with a minus sign.",
    "For `?` it prints `<`, `=` or `>`, as X is less than, equal to or greater than Y.",
  ],
  source: text`
    #include <stdio.h>
    #include <string.h>

    #define MOST 512

    /* The lowest digit comes first. There are no leading zeros, so that 0 has no digits. */
    struct number {
        int negative;
        int length;
        signed char digit[MOST];
    };

    static void trim(struct number *n)
    {
        while (n->length > 0 && n->digit[n->length - 1] == 0)
            n->length--;
        if (n->length == 0)
            n->negative = 0;
    }

    static void parse(const char *text, struct number *n)
    {
        n->negative = text[0] == '-';
        if (n->negative)
            text++;
        n->length = 0;
        for (size_t i = strlen(text); i > 0; i--)
            n->digit[n->length++] = text[i - 1] - '0';
        trim(n);
    }

    static void print(const struct number *n)
    {
        if (n->negative)
            putchar('-');
        if (n->length == 0)
            putchar('0');
        for (int i = n->length - 1; i >= 0; i--)
            putchar('0' + n->digit[i]);
        putchar('\n');
    }

    /* Below, at or above 0, without regard to the signs. */
    static int compare_amounts(const struct number *a, const struct number *b)
    {
        if (a->length != b->length)
            return a->length - b->length;
        for (int i = a->length - 1; i >= 0; i--)
            if (a->digit[i] != b->digit[i])
                return a->digit[i] - b->digit[i];
        return 0;
    }

    static int compare(const struct number *a, const struct number *b)
    {
        if (a->negative != b->negative)
            return a->negative ? -1 : 1;
        return a->negative ? compare_amounts(b, a) : compare_amounts(a, b);
    }

    static void add_amounts(const struct number *a, const struct number *b, struct number *sum)
    {
        int carry = 0;
        sum->length = 0;
        for (int i = 0; i < a->length || i < b->length || carry; i++) {
            int digit = carry;
            if (i < a->length)
                digit += a->digit[i];
            if (i < b->length)
                digit += b->digit[i];
            sum->digit[sum->length++] = digit % 10;
            carry = digit / 10;
        }
    }

    /* The amount of a must not be less than that of b. */
    static void subtract_amounts(const struct number *a, const struct number *b, struct number *rest)
    {
        int borrow = 0;
        rest->length = a->length;
        for (int i = 0; i < a->length; i++) {
            int digit = a->digit[i] - borrow - (i < b->length ? b->digit[i] : 0);
            borrow = digit < 0;
            rest->digit[i] = digit + 10 * borrow;
        }
    }

    static void add(const struct number *a, const struct number *b, struct number *sum)
    {
        sum->negative = a->negative;
        if (a->negative == b->negative) {
            add_amounts(a, b, sum);
        } else if (compare_amounts(a, b) >= 0) {
            subtract_amounts(a, b, sum);
        } else {
            subtract_amounts(b, a, sum);
            sum->negative = b->negative;
        }
        trim(sum);
    }

    static void multiply(const struct number *a, const struct number *b, struct number *product)
    {
        product->negative = a->negative != b->negative;
        product->length = a->length + b->length;
        memset(product->digit, 0, product->length);
        for (int i = 0; i < a->length; i++) {
            int carry = 0;
            for (int j = 0; j < b->length || carry; j++) {
                int digit = product->digit[i + j] + carry;
                if (j < b->length)
                    digit += a->digit[i] * b->digit[j];
                product->digit[i + j] = digit % 10;
                carry = digit / 10;
            }
        }
        trim(product);
    }

    int main(void)
    {
        static char line[1024], left[256], right[256];
        static struct number a, b, result;
        char operator;
        while (fgets(line, sizeof line, stdin)) {
            if (sscanf(line, "%255s %c %255s", left, &operator, right) != 3)
                continue;
            parse(left, &a);
            parse(right, &b);
            if (operator == '?') {
                int order = compare(&a, &b);
                puts(order < 0 ? "<" : order > 0 ? ">" : "=");
                continue;
            }
            if (operator == '-')
                b.negative = !b.negative;
            if (operator == '*')
                multiply(&a, &b, &result);
            else
                add(&a, &b, &result);
            print(&result);
        }
        return 0;
    }
  `,
  bugs: [
    { right: "        sum->negative = b->negative;\n", wrong: "", symptom: "3 - 5 comes out as 2.", input: "3 - 5\n" },
    {
      right: "return a->negative ? compare_amounts(b, a) : compare_amounts(a, b);",
      wrong: "return compare_amounts(a, b);",
      symptom: "-2 is said to be less than -3.",
      input: "-2 ? -3\n",
    },
    { right: "i < b->length || carry; i++", wrong: "i < b->length; i++", symptom: "9 + 1 comes out as 0.", input: "9 + 1\n" },
    {
      right: "    if (n->length == 0)\n        putchar('0');\n",
      wrong: "",
      symptom: "it prints an empty line instead of 0.",
      input: "5 - 5\n",
    },
    {
      right: "product->negative = a->negative != b->negative;",
      wrong: "product->negative = a->negative || b->negative;",
      symptom: "-2 times -3 comes out as -6.",
      input: "-2 * -3\n",
    },
  ],
  deeper: [
    { right: "    if (n->length == 0)\n        n->negative = 0;\n", wrong: "", input: "-5 * 0\n" },
    {
      right: "memset(product->digit, 0, product->length);",
      wrong: "memset(product->digit, 0, sizeof product->length);",
      input: "99999999 * 99999999\n12345678 * 87654321\n",
    },
    { right: "text[i - 1] - '0';\n    trim(n);", wrong: "text[i - 1] - '0';", input: "0012 ? 12\n" },
    { right: '"%255s %c', wrong: '"%127s %c', input: `${"1234567890".repeat(20)} + 1\n` },
  ],
  short: {
    "takes-the-second-for-positive": [["b.negative = !b.negative;", "b.negative = 1;"]],
    "keeps-the-sign-of-the-first": [
      ["compare_amounts(a, b) >= 0", "compare_amounts(a, b) > 0"],
      ["        sum->negative = b->negative;\n", ""],
    ],
  },
  edges: text`
    def of(digits):
        return rng.choice(["", "-"]) + str(rng.randint(10 ** (digits - 1), 10**digits - 1))
    signs = "".join(f"{a}{x} {operator} {b}{y}\n" for x, y in [(7, 7), (5, 12), (12, 5), (0, 3), (3, 0), (0, 0)] for a in ["", "-"] for b in ["", "-"] for operator in "+-*?")
    return [
        signs,
        "".join(f"{of(200)} {operator} {of(200)}\n" for operator in "+-*?" for _ in range(4)),
        "".join(f"{of(200)} {operator} {of(3)}\n{of(3)} {operator} {of(200)}\n" for operator in "+-*?"),
        f"{'9' * 200} + 1\n{'9' * 200} * {'9' * 200}\n-1 - {'9' * 200}\n1{'0' * 199} - 1\n1 - 1{'0' * 199}\n",
        "007 ? 7\n-007 ? -7\n00 ? -0\n000 * 0012\n-0099 + 0001\n0010 - 10\n" + "0" * 200 + " + 0\n",
        f"{'8' * 150} ? {'8' * 150}\n{'8' * 150} ? {'8' * 149}9\n-{'8' * 150} ? -{'8' * 149}9\n9 ? 10\n-9 ? -10\n",
        f"{'9' * 90} * {'9' * 90}\n10 * 10\n{'1' + '0' * 80} * {'1' + '0' * 80}\n",
    ]
  `,
  input: text`
    def number():
        return rng.choice(["", "-"]) + rng.choice(["", "", "0", "00"]) + str(rng.randint(0, 10 ** rng.choice([1, 2, 5, 20, 40])))
    return "".join(f"{number()} {rng.choice('+-*?')} {number()}\n" for _ in range(rng.randint(5, 30)))
  `,
};
