import type { Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

/** A table of bounded size that throws out what was not used for the longest time. */
export const cache: Subject = {
  names: ["cache", "lately", "shelf"],
  promises: [
    "The first line holds CAPACITY, from 1 to 5000; each further line is `put KEY VALUE`, `get KEY` or `drop KEY`.",
    "A key has at most 60 characters and no spaces; a value is the rest of its line, at most 200 characters, and may hold spaces inside.",
    "`put` keeps the value under the key, instead of an earlier one. `get` prints the value of the key, or `-` where it is not held. `drop` takes the key out, where it is held.",
    "A key is used when it is put, also when it was there before, and when a `get` finds it. Where CAPACITY keys are held and another one is put, the key that was not used for the longest time is taken out first.",
    "At the end it prints `held N`, and then the keys that are held, one a line, from the one that was not used for the longest time to the one used last.",
  ],
  source: text`
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>

    #define BUCKETS 64

    struct entry {
        char *key, *value;
        struct entry *older, *newer;
        struct entry *next; /* in its bucket */
    };

    static struct entry *bucket[BUCKETS];
    static struct entry *oldest, *newest;
    static int held, capacity;

    static unsigned hash(const char *key)
    {
        unsigned sum = 5381;
        for (; *key; key++)
            sum = sum * 33 + (unsigned char)*key;
        return sum % BUCKETS;
    }

    /* Where the pointer to the entry of a key stands, or NULL in its place. */
    static struct entry **place_of(const char *key)
    {
        struct entry **place = &bucket[hash(key)];
        while (*place && strcmp((*place)->key, key) != 0)
            place = &(*place)->next;
        return place;
    }

    static void detach(struct entry *entry)
    {
        if (entry->older)
            entry->older->newer = entry->newer;
        else
            oldest = entry->newer;
        if (entry->newer)
            entry->newer->older = entry->older;
        else
            newest = entry->older;
    }

    static void append(struct entry *entry)
    {
        entry->older = newest;
        entry->newer = NULL;
        if (newest)
            newest->newer = entry;
        else
            oldest = entry;
        newest = entry;
    }

    static void touch(struct entry *entry)
    {
        detach(entry);
        append(entry);
    }

    static void discard(const char *key)
    {
        struct entry **place = place_of(key);
        struct entry *entry = *place;
        if (!entry)
            return;
        *place = entry->next;
        detach(entry);
        free(entry->key);
        free(entry->value);
        free(entry);
        held--;
    }

    static void put(const char *key, const char *value)
    {
        struct entry *entry = *place_of(key);
        if (entry) {
            free(entry->value);
            entry->value = strdup(value);
            touch(entry);
            return;
        }
        if (held == capacity)
            discard(oldest->key);
        entry = calloc(1, sizeof *entry);
        entry->key = strdup(key);
        entry->value = strdup(value);
        *place_of(key) = entry;
        append(entry);
        held++;
    }

    static void get(const char *key)
    {
        struct entry *entry = *place_of(key);
        if (!entry) {
            puts("-");
            return;
        }
        puts(entry->value);
        touch(entry);
    }

    int main(void)
    {
        char line[512];
        if (!fgets(line, sizeof line, stdin))
            return 1;
        capacity = atoi(line);
        while (fgets(line, sizeof line, stdin)) {
            char *verb = strtok(line, " \n");
            char *key = strtok(NULL, " \n");
            if (!verb || !key)
                continue;
            if (strcmp(verb, "put") == 0)
                put(key, strtok(NULL, "\n"));
            else if (strcmp(verb, "get") == 0)
                get(key);
            else if (strcmp(verb, "drop") == 0)
                discard(key);
        }
        printf("held %d\n", held);
        for (struct entry *entry = oldest; entry; entry = entry->newer)
            puts(entry->key);
        return 0;
    }
  `,
  bugs: [
    {
      right: "    puts(entry->value);\n    touch(entry);\n",
      wrong: "    puts(entry->value);\n",
      symptom: "what was just asked for is taken out before what nobody asks for.",
      input: "2\nput a 1\nput b 2\nget a\nput c 3\nget a\n",
    },
    {
      right: "        free(entry->value);\n        entry->value = strdup(value);\n",
      wrong: "",
      symptom: "a key that is put again has its old value.",
      input: "2\nput a 1\nput a 2\nget a\n",
    },
    {
      right: "held == capacity",
      wrong: "held > capacity",
      symptom: "it holds one key too many.",
      input: "1\nput a 1\nput b 2\nget a\n",
    },
    {
      right: "entry = oldest; entry; entry = entry->newer",
      wrong: "entry = newest; entry; entry = entry->older",
      symptom: "the keys are listed the wrong way round.",
      input: "3\nput a 1\nput b 2\nput c 3\n",
    },
    { right: "    held--;\n", wrong: "", symptom: "it counts keys that were dropped.", input: "3\nput a 1\nput b 2\ndrop a\n" },
  ],
  deeper: [
    { right: 'strtok(NULL, "\\n"));', wrong: 'strtok(NULL, " \\n"));', input: "2\nput a some words\nget a\n" },
    {
      right: "*place = entry->next;",
      wrong: "*place = NULL;",
      input: `200\n${Array.from({ length: 150 }, (_, i) => `put k${i} v${i}\n`).join("")}drop k0\n${Array.from({ length: 150 }, (_, i) => `get k${i}\n`).join("")}`,
    },
    {
      right: "strcmp((*place)->key, key) != 0",
      wrong: "strncmp((*place)->key, key, 24) != 0",
      // Of so many keys some share a bucket.
      input: `200\n${Array.from({ length: 130 }, (_, i) => `put a-long-road-to-the-harbour-${i} v${i}\n`).join("")}`,
    },
    {
      right: "        touch(entry);\n        return;",
      wrong: "        return;",
      input: "2\nput a 1\nput b 2\nput a 3\nput c 4\n",
    },
  ],
  short: {
    "takes-out-what-came-last": [["discard(oldest->key);", "discard(newest->key);"]],
    "cuts-long-values": [
      ["entry->key = strdup(key);\n    entry->value = strdup(value);", "entry->key = strdup(key);\n    entry->value = strndup(value, 80);"],
    ],
  },
  edges: text`
    def script(capacity, *lines):
        return "".join(f"{line}\n" for line in [capacity, *lines])
    stem = "".join(rng.choice("abcdef") for _ in range(58))
    value = "".join(rng.choice("xyz ") for _ in range(198))
    keys = [f"{rng.choice('pqr')}{i}" for i in range(5000)]
    return [
        script(3),
        script(1, "get a", "drop a", "put a 1", "put b 2", "get a", "get b", "put b two words  here", "get b"),
        script(2, "put a 1", "put b 2", "put a 3", "put c 4", "get a", "get b", "get c"),
        script(2, "put a 1", "put b 2", "get a", "put c 3", "get b", "get a", "get x", "put d 4", "get c"),
        script(3, "put a 1", "put b 2", "put c 3", "drop b", "put d 4", "drop d", "drop a", "drop c", "put e 5", "put f 6", "put g 7", "put h 8"),
        script(2, f"put {stem}aa one", f"put {stem}ab two", f"get {stem}aa", f"get {stem}ab", f"put {stem}ac a{value}b", f"get {stem}ac", f"get {stem}aa"),
        script(200, *(f"put {stem[:50]}{i} {i}" for i in range(150)), *(f"get {stem[:50]}{i}" for i in range(150))),
        script(5000, *(f"put {key} v {key}" for key in keys), *(f"drop {key}" for key in keys[::7]), *(f"get {key}" for key in keys[::3])),
        script(100, *(f"put {key} {i}" for i, key in enumerate(keys[:400])), *(f"get {key}" for key in rng.sample(keys[:400], 200))),
    ]
  `,
  input: text`
    keys = [f"k{i}" for i in range(rng.choice([4, 8, 150]))]
    lines = [str(rng.choice([1, 2, 3, 5, 90]))]
    for i in range(rng.randint(5, 200)):
        key = rng.choice(keys)
        lines.append(rng.choice([f"put {key} {i}", f"put {key} {rng.randint(0, 9)} of {i}", f"get {key}", f"drop {key}"]))
    return "\n".join(lines) + "\n"
  `,
};
