import type { Family } from "../family.ts";
import { drawPlantedBug, type Language, type Subject } from "../planted-bug.ts";
import { text } from "../text.ts";

const sizes: Subject = {
  names: ["sizes", "largest", "usage"],
  promises: [
    "Each line is `SIZE NAME`: a whole number, one space, and a name that may hold further spaces; a line that starts with `#` is skipped.",
    "It prints `NAME: SIZE` for the three largest, the largest first; equal sizes are in the alphabetical order (by bytes) of their names.",
    "The last line is `sum N`, the sum of all sizes, also of those not printed; it is `sum 0` without any.",
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
      right: "sort -k1,1nr -k2",
      wrong: "sort -k1,1r -k2",
      symptom: "9 is taken for more than 10.",
      input: "10 ten\n9 nine\n8 eight\n100 hundred\n",
    },
    { right: "head -n 3", wrong: "head -n 2", symptom: "one of the largest is missing.", input: "1 a\n2 b\n3 c\n" },
    {
      right: "while read -r size name",
      wrong: "while read -r size name rest",
      symptom: "names with spaces are cut.",
      input: "5 two words\n",
    },
    { right: "grep -v '^#'", wrong: "grep -v '#'", symptom: "names with a # are lost.", input: "5 track #1\n" },
    { right: "'{ sum += $1 }", wrong: "'NR > 1 { sum += $1 }", symptom: "the sum is too small.", input: "5 a\n6 b\n" },
  ],
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
    "Each line is a path; for each it prints the shortest path that means the same, without looking at the disk.",
    "`.` parts and repeated slashes vanish; `..` takes the part before it away.",
    "In an absolute path `..` at the root vanishes; in a relative one leading `..` parts stay.",
    "What is left empty is printed as `/` when the path was absolute, else as `.`. Parts may hold spaces and `*`.",
  ],
  source: text`
    #!/bin/bash
    set -f
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
    { right: ' && [ "${kept[-1]}" != .. ]', wrong: "", symptom: "two leading `..` cancel each other.", input: "../../a\n" },
    { right: '[ "${path:0:1}" != / ]', wrong: "true", symptom: "absolute paths climb above the root.", input: "/../a\n" },
    { right: "${out:-.}", wrong: "$out", symptom: "a path that comes to nothing prints an empty line.", input: "a/..\n" },
    {
      right: "while IFS= read -r path",
      wrong: "while read path",
      symptom: "spaces and backslashes at the ends or inside get lost.",
      input: " a\\b/c \n",
    },
  ],
  input: text`
    parts = ["a", "b c", "..", "..", ".", "", "*", "d.e"]
    return "".join(rng.choice(["", "/"]) + "/".join(rng.choice(parts) for _ in range(rng.randint(1, 7))) + "\n" for _ in range(rng.randint(1, 6)))
  `,
};

const durations: Subject = {
  names: ["durations", "clock", "elapsed"],
  promises: [
    "Each line is a time `MM:SS` or `HH:MM:SS`, with two digits each; for each it prints the seconds it stands for.",
    "Leading zeros mean nothing: `08:09` is 489.",
    "A line of another form prints `bad: LINE`, and the exit code is still 0.",
    "The last line is `longest N`, the most seconds seen, `longest 0` without any.",
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
  start: (file) => `bash ${file}`,
};

/** One of several shell scripts, broken in one to three ways. */
export const plantedBugShell: Family = {
  name: "planted-bug-shell",
  summary: "repair a shell script by its promises; up to three bugs, of which not all show in the examples",
  split: "validation",
  tags: ["bugfix", "shell"],
  draw: drawPlantedBug(shell),
};
