import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

export const intern: Subject = {
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
