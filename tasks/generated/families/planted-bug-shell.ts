import type { Family } from "../family.ts";
import { drawPlantedBug, type Language, type Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

const sizes: Subject = {
  names: ["sizes", "largest", "usage"],
  promises: [
    "Each line is `SIZE NAME`: a whole number, one space, and a name that may hold further spaces, `#` and backslashes; a line that starts with `#` is skipped.",
    "It prints `NAME: SIZE` for the three largest, the largest first; equal sizes are in the alphabetical order (by bytes) of their names.",
    "The last line is `sum N`, the sum of all sizes, also of those not printed; where there are no sizes it is `sum 0`.",
  ],
  source: text`
    #!/bin/sh
    LC_ALL=C
    export LC_ALL
    rows=$(grep -v '^#')
    [ -n "$rows" ] || { echo "sum 0"; exit 0; }
    printf '%s\n' "$rows" | sort -k1,1nr -k2 | head -n 3 | while read -r size name; do
      printf '%s: %s\n' "$name" "$size"
    done
    printf '%s\n' "$rows" | awk '{ sum += $1 } END { print "sum " sum }'
  `,
  bugs: [
    {
      right: "sort -k1,1nr",
      wrong: "sort -k1,1r",
      symptom: "9 is taken for more than 10.",
      input: "10 ten\n9 nine\n8 eight\n100 hundred\n",
    },
    { right: "head -n 3", wrong: "head -n 2", symptom: "one of the largest is missing.", input: "1 a\n2 b\n3 c\n" },
    {
      right: "size name; do",
      wrong: "size name rest; do",
      symptom: "names with spaces are cut.",
      input: "5 two words\n",
    },
    { right: "grep -v '^#'", wrong: "grep -v '#'", symptom: "names with a # are lost.", input: "5 track #1\n" },
    { right: "'{ sum += $1 }", wrong: "'NR > 1 { sum += $1 }", symptom: "the sum is too small.", input: "5 a\n6 b\n" },
  ],
  deeper: [
    { right: "-k2 |", wrong: "-k2r |", input: "5 b\n5 a\n" },
    { right: "while read -r", wrong: "while read", input: "5 a\\b\n" },
    { right: '[ -n "$rows" ] || { echo "sum 0"; exit 0; }', wrong: '[ -n "$rows" ] || exit 0', input: "# nothing\n" },
  ],
  short: {
    "sums-what-is-printed": [["rows=$(grep -v '^#')", "rows=$(grep -v '^#' | sort -k1,1nr -k2 | head -n 3)"]],
    "cuts-names-with-two-spaces": [["| while read -r size name; do", "| awk '{ $1 = $1; print }' | while read -r size name; do"]],
  },
  edges: text`
    return [
        "",
        "# size name\n",
        "# 7 x\n5 a\n#9 y\n",
        "0 zero\n",
        "10 a\n9 b\n100 c\n8 d\n",
        "5 b\n5 a\n5 B\n5 c\n5 Zed\n5 a b\n",
        "1 d\n2 c\n2 b\n2 a\n",
        "7 two  words\n6 track #2\n5 a\\b\\n\n4 last\n",
        "1 a\n2 b\n3 c\n4 d\n100 e\n",
    ]
  `,
  input: text`
    names = ["a", "b c", "track #2", "Zed", "two  words", "x", "yy"]
    rows = [f"{rng.choice([1, 5, 9, 10, 10, 100, rng.randint(0, 2000)])} {name}" for name in rng.sample(names, rng.randint(0, 7))]
    if rng.random() < 0.3:
        rows.insert(0, "# size name")
    return "".join(f"{row}\n" for row in rows)
  `,
};

const paths: Subject = {
  names: ["tidy-paths", "normal", "clean-paths"],
  promises: [
    "Each line is a path, an empty line too; for each it prints the shortest path that means the same, without looking at the disk.",
    "`.` parts vanish, and so do slashes at the end; several slashes in a row count as one, at the beginning too. `..` takes the part before it away.",
    "In an absolute path `..` at the root vanishes; in a relative one leading `..` parts stay.",
    "What is left empty is printed as `/` when the path was absolute, else as `.`. Parts may hold spaces, at their ends too, backslashes and `*`.",
  ],
  source: text`
    #!/bin/bash
    while IFS= read -r path; do
      kept=()
      IFS=/ read -ra parts <<< "$path"
      for part in "\${parts[@]}"; do
        case $part in
          "" | .) ;;
          ..)
            if [ \${#kept[@]} -gt 0 ] && [ "\${kept[-1]}" != .. ]; then
              unset "kept[-1]"
            elif [ "\${path:0:1}" != / ]; then
              kept+=("..")
            fi
            ;;
          *) kept+=("$part") ;;
        esac
      done
      out=$(IFS=/; printf '%s' "\${kept[*]}")
      [ "\${path:0:1}" = / ] && out=/$out
      printf '%s\n' "\${out:-.}"
    done
  `,
  bugs: [
    { right: '"" | .) ;;', wrong: '"") ;;', symptom: "single dots stay in the path.", input: "a/./b\n" },
    { right: ' && [ "${kept[-1]}" != .. ]', wrong: "", symptom: "two leading `..` cancel each other.", input: "../../../a\n" },
    { right: '[ "${path:0:1}" != / ]', wrong: "true", symptom: "absolute paths climb above the root.", input: "/../a\n" },
    { right: "${out:-.}", wrong: "$out", symptom: "a path that comes to nothing prints an empty line.", input: "a/..\n" },
    {
      right: "while IFS= read -r path",
      wrong: "while read path",
      symptom: "spaces and backslashes at the ends or inside get lost.",
      input: " a\\b/c \n",
    },
  ],
  deeper: [
    { right: 'in "${parts[@]}"; do', wrong: "in ${parts[@]}; do", input: "a/b c\n" },
    { right: "${#kept[@]} -gt 0", wrong: "${#kept[@]} -gt 1", input: "a/../b\n" },
  ],
  short: {
    "skips-empty-lines": [["read -r path; do", 'read -r path; do\n  [ -n "$path" ] || continue']],
    "keeps-two-slashes": [
      ['[ "${path:0:1}" = / ] && out=/$out', '[ "${path:0:1}" = / ] && out=/$out\n  [ "${path:0:2}" = // ] && out=/$out'],
    ],
  },
  edges: text`
    lines = ["", "/", "//", "///a", "a//b/", "a/", ".", "./", "./a/.", "..", "../..", "a/..", "a/../b", "a/../..", "/..", "/../..", "/../a/..", "/a/../..", "../a/../..", "a/b/../../c", "...", ".a/..b"]
    odd = [" a/b ", " ", "/ /", "a b/../c  d", "a\\b/c", "\\/..", "*/?", "*", "a/*/../[b]", "-n", "-e/x"]
    return ["".join(f"{line}\n" for line in lines), "".join(f"{line}\n" for line in odd), "\n", "\n\na\n", ""]
  `,
  input: text`
    parts = ["a", "b c", "..", "..", ".", "", "*", "d.e"]
    return "".join(rng.choice(["", "/"]) + "/".join(rng.choice(parts) for _ in range(rng.randint(1, 7))) + "\n" for _ in range(rng.randint(1, 6)))
  `,
};

const durations: Subject = {
  names: ["durations", "clock", "elapsed"],
  promises: [
    "Each line is a time `MM:SS` or `HH:MM:SS`, with two digits each, from 00 to 99; for each it prints the seconds it stands for.",
    "Leading zeros mean nothing: `08:09` is 489.",
    "For a line of another form, an empty one too, it prints `bad: LINE`; the exit code is 0 all the same.",
    "The last line is `longest N` with the most seconds of all, or `longest 0` where there was no time.",
  ],
  source: text`
    #!/bin/bash
    longest=0
    while IFS= read -r line; do
      if [[ $line =~ ^([0-9]{2}):([0-9]{2})(:([0-9]{2}))?$ ]]; then
        if [ -n "\${BASH_REMATCH[3]}" ]; then
          seconds=$((10#\${BASH_REMATCH[1]} * 3600 + 10#\${BASH_REMATCH[2]} * 60 + 10#\${BASH_REMATCH[4]}))
        else
          seconds=$((10#\${BASH_REMATCH[1]} * 60 + 10#\${BASH_REMATCH[2]}))
        fi
        echo "$seconds"
        if [ "$seconds" -gt "$longest" ]; then longest=$seconds; fi
      else
        echo "bad: $line"
      fi
    done
    echo "longest $longest"
  `,
  bugs: [
    {
      right: "$((10#${BASH_REMATCH[1]} * 60 + 10#${BASH_REMATCH[2]}))",
      wrong: "$((${BASH_REMATCH[1]} * 60 + ${BASH_REMATCH[2]}))",
      symptom: "it trips over 08 and 09.",
      input: "08:09\n",
    },
    { right: "* 3600", wrong: "* 360", symptom: "hours are worth too little.", input: "01:00:00\n" },
    {
      right: '"$seconds" -gt "$longest"',
      wrong: '"$seconds" \\> "$longest"',
      symptom: "the longest time is not always the longest.",
      input: "01:40\n00:09\n",
    },
    {
      right: "(:([0-9]{2}))?$ ]]",
      wrong: "(:([0-9]{2}))? ]]",
      symptom: "lines with something behind the time are taken.",
      input: "10:10x\n",
    },
    { right: 'echo "bad: $line"', wrong: 'echo "bad: $line"; exit 1', symptom: "it gives up at the first bad line.", input: "x\n00:01\n" },
  ],
  deeper: [
    { right: "while IFS= read -r line", wrong: "while read -r line", input: "10:10 \n" },
    { right: "^([0-9]{2})", wrong: "^([0-9]{1,2})", input: "1:02\n" },
    { right: "10#${BASH_REMATCH[4]}", wrong: "${BASH_REMATCH[4]}", input: "01:00:08\n" },
  ],
  short: {
    "refuses-sixty": [[":([0-9]{2})(:([0-9]{2}))?$ ]]", ":([0-5][0-9])(:([0-5][0-9]))?$ ]]"]],
    "says-nothing-of-empty-lines": [["read -r line; do", 'read -r line; do\n  [ -n "$line" ] || continue']],
  },
  edges: text`
    good = ["08:09", "00:00", "09:08", "99:99", "99:99:99", "08:08:08", "09:09:09", "01:00:00", "00:60", "10:10"]
    bad = ["", " ", "10:10x", "x10:10", " 10:10", "10:10 ", "1:02", "01:2", "001:02", "1:02:03", "01:02:03:04", "01:02:3", "01:02:", "noon", "10.10", "a\\b", "*", "-n"]
    return ["", "\n", *(f"{line}\n" for line in ["00:00", "00:09"]), "".join(f"{line}\n" for line in good), "".join(f"{line}\n" for line in bad), "01:40\n00:09\n", "x\n00:01\n\n02:00\n", "00:59\n01:00:00\n99:00\n"]
  `,
  input: text`
    def line():
        two = lambda: rng.choice([f"{rng.randint(0, 99):02}", "08", "09"])
        return rng.choice([f"{two()}:{two()}", f"{two()}:{two()}:{two()}", f"{two()}:{two()} ", "noon", "1:02", ""])
    return "".join(line() + "\n" for _ in range(rng.randint(1, 8)))
  `,
};

export const shell: Language = {
  name: "bash",
  extension: "sh",
  subjects: [sizes, paths, durations],
  run: (file) => `bash ${file}`,
};

/** One of several shell scripts, broken in one to four ways. */
export const plantedBugShell: Family = {
  name: "planted-bug-shell",
  summary: "repair a shell script by its promises; up to four bugs, of which not all show in the example",
  split: "validation",
  tags: ["bugfix", "shell"],
  draw: drawPlantedBug(shell),
};
