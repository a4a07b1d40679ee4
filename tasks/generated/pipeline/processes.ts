import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { dense, text } from "../text.ts";
import { people } from "../words.ts";

/** Memory by user, out of what `ps` has printed. */
export function processes(d: Draw): RuleBook {
  const file = `${d.pick(["memory", "usage", "ps_sum", "by_user"])}.sh`;
  const least = d.int(2, 9) * 100;
  const average = d.chance(0.5);
  const users = d.some(people, 3);
  const row = (pid: number): string =>
    `${String(pid).padStart(6)} ${String(pid > 104 ? 101 : 1).padStart(6)} ${d.pick(users).padEnd(8)} ${String(d.int(40, 9000)).padStart(6)} ${d.pick(["bash", "python3 job.py", "vim notes.txt", "sleep 60"])}`;
  const sample = ["   PID   PPID USER        RSS COMMAND", ...Array.from({ length: d.int(6, 9) }, (_, i) => row(101 + i))];
  return {
    file,
    intro: text`
      Write \`${file}\`. Started as \`bash ${file} FILE\`, it reads a table like \`ps.txt\`, printed by \`ps -eo pid,ppid,user,rss,args\`: a line of headings, then a line for each process. COMMAND is always the last column, and the only one whose values hold spaces.
    `,
    base: [
      {
        name: "sums",
        asked: average
          ? "It prints one line for each user, `USER KILOBYTES COUNT`: the sum of RSS and the number of processes."
          : "It prints one line for each user, `USER COUNT KILOBYTES`: the number of processes and the sum of RSS.",
        mistake: ["sum[user] += rss", "sum[user] = rss"],
      },
      {
        name: "order",
        asked: "The user with the largest sum comes first; equal sums are sorted by user.",
        mistake: [average ? "sort -k2,2nr -k1,1" : "sort -k3,3nr -k1,1", "sort"],
      },
    ],
    more: [
      {
        name: "kernel",
        asked: "Processes whose COMMAND begins with `[` belong to the kernel and do not count.",
        mistake: ["command ~ /^\\[/", "command ~ /^\\[k/"],
      },
      { name: "defunct", asked: "Processes whose COMMAND ends with `<defunct>` do not count.", mistake: ["/<defunct>$/", "/^<defunct>$/"] },
      {
        name: "units",
        asked: "RSS may end with `M` or `G`, as in `12M`: a megabyte is 1024 kilobytes, a gigabyte 1024 megabytes.",
        mistake: ["rss *= 1024 * 1024", "rss *= 1000 * 1000"],
      },
      { name: "columns", asked: "The columns before COMMAND may come in any order: go by the headings.", mistake: ["for (i = 1; i <= NF; i++) at[$i] = i", 'split("", at); at["PID"] = 1; at["PPID"] = 2; at["USER"] = 3; at["RSS"] = 4; at["COMMAND"] = 5'] }, // prettier-ignore
      {
        name: "small",
        asked: `Users whose sum is below ${least} are not printed.`,
        mistake: [`sum[user] >= ${least}`, `sum[user] > ${least}`],
      },
      {
        name: "again",
        asked:
          "FILE may hold several tables, each with its own headings. A process that is in more than one of them (with the same PID) counts as it is in the last of these.",
        mistake: ["rows[pid] = $0", "if (pid in rows) next; rows[pid] = $0"],
        hard: true,
      },
      {
        name: "orphans",
        asked:
          "After that it prints the line `orphans N`: how many processes, of those that count, have a PPID other than 0 that is the PID of no process in FILE; those that do not count are in FILE as well.",
        mistake: ["!(parent[pid] in rows)", "!(parent[pid] in counted)"],
        half: { "looks-for-the-first-process": { swap: ["parent[pid] != 0 && !(parent[pid] in rows)", "parent[pid] == 1"] } },
        hard: true,
      },
      {
        name: "deepest",
        asked:
          "The last line is `deepest N`: the largest number of processes, of those that count, in a chain in which each is the parent of the next; it is 0 where there are none.",
        mistake: ["steps++", "steps = 2"],
        hard: true,
      },
    ],
    spare: ["kernel", "defunct", "units", "columns", "small", "again"],
    source: (asks) =>
      dense(text`
      #!/bin/bash
      export LC_ALL=C
      scratch=$(mktemp)
      trap 'rm -f "$scratch"' EXIT
      awk -v rest="$scratch" '
        $NF == "COMMAND" && / PID | PID$|^PID / { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NF {
          pid = $at["PID"]
          rows[pid] = $0
          parent[pid] = $at["PPID"]; owner[pid] = $at["USER"]; size[pid] = $at["RSS"]; name[pid] = $at["COMMAND"]
        }
        END {
          for (pid in rows) {
            command = name[pid]
            ${asks("kernel") ? "if (command ~ /^\\[/) continue" : ""}
            ${asks("defunct") ? "if (rows[pid] ~ /<defunct>$/) continue" : ""}
            counted[pid] = 1
          }
          for (pid in counted) {
            user = owner[pid]; rss = size[pid] + 0
            if (size[pid] ~ /G$/) rss *= 1024 * 1024
            if (size[pid] ~ /M$/) rss *= 1024
            sum[user] += rss
            count[user]++
          }
          for (user in sum)
            ${asks("small") ? `if (sum[user] >= ${least})` : ""}
            printf "%s %.0f %.0f\n", user, ${average ? "sum[user], count[user]" : "count[user], sum[user]"}
          ${
            asks("orphans")
              ? text`
                  orphans = 0
                  for (pid in counted)
                    if (parent[pid] != 0 && !(parent[pid] in rows)) orphans++
                  print "orphans " orphans > rest
                `
              : ""
          }
          ${
            asks("deepest")
              ? text`
                  deepest = 0
                  for (pid in counted) {
                    steps = 1
                    for (up = parent[pid]; up in counted; up = parent[up]) steps++
                    if (steps > deepest) deepest = steps
                  }
                  print "deepest " deepest > rest
                `
              : ""
          }
        }' "$1" | ${average ? "sort -k2,2nr -k1,1" : "sort -k3,3nr -k1,1"}
      cat "$scratch"
    `),
    compare: () => text`
      import itertools

      USERS = ${JSON.stringify(people.slice(0, 6))}
      UNITS = {"": 1, "M": 1024, "G": 1048576}
      nobody = itertools.cycle([False, True, False])
      NAMES = ["bash", "python3 job.py", "sleep 60", "ps -eo pid", "tar cf /x [a]", "watch <defunct> -n 1", "vim  two  words"]


      def drawn(active):
          text, truth, pids = "", {}, rng.sample(range(2, 5000), 60) + [1] * rng.choice([0, 1])
          none = "deepest" in active and next(nobody)
          used = []
          for turn in range(rng.choice([2, 3]) if "again" in active else 1):
              columns = ["PID", "PPID", "USER", "RSS"]
              while "columns" in active and columns[2] == "USER":
                  rng.shuffle(columns)
              text += " ".join(f"{name:>6}" for name in columns) + " COMMAND\n"
              fresh = used + [pids.pop() for _ in range(rng.randint(3, 12))] if turn == 0 else sorted(set(rng.sample(used, 3) + [pids.pop() for _ in range(3)]))
              rng.shuffle(fresh)
              for pid in [] if none else fresh:
                  # A parent has always the smaller number, so that no chain comes back to itself.
                  older = [other for other in used + fresh if other < pid]
                  parent = rng.choice(older) if older and rng.random() < 0.6 else rng.choice([0, 0 if pid == 1 else 1, 6001])
                  rss, unit = rng.choice([100, 200, 300, rng.randint(1, 900)]), ""
                  if "units" in active:
                      unit = rng.choice(["", "M", "M", "G"])
                  command, counts = rng.choice(NAMES[:3] + (NAMES[4:6] if active & {"kernel", "defunct"} else []) + NAMES[6:]), True
                  if "kernel" in active and rng.random() < 0.4:
                      command, counts = rng.choice(["[kworker/0:1]", "[rcu_sched]", "[migration/0]"]), False
                  elif "defunct" in active and rng.random() < 0.4:
                      command, counts = rng.choice(["bash <defunct>", "[sh] <defunct>" if "kernel" in RULES else "sh <defunct>"]), False
                  user = rng.choice(USERS)
                  cells = {"PID": pid, "PPID": parent, "USER": user, "RSS": f"{rss}{unit}"}
                  text += " ".join(f"{cells[name]:>6}" for name in columns) + f" {command}\n"
                  truth[pid] = (parent, user, rss * UNITS[unit], counts)
              used = sorted(set(used + fresh))
              if "again" in active and not none:
                  cells = {"PID": 7100, "PPID": 0, "USER": "zoe", "RSS": 20000 + turn}
                  text += " ".join(f"{cells[name]:>6}" for name in columns) + " bash\n"
                  truth[7100] = (0, "zoe", 20000 + turn, True)
          # What chance may leave out: equal sums with the least that is printed, one below it, the largest sum behind all names, and what a rule is about.
          fixed = []
          if active & {"sums", "order", "small"}:
              fixed += [("vic", ${least}, "", "bash"), ("uma", ${least}, "", "bash"), ("wim", ${least - 1}, "", "bash"), ("zoe", 20000, "", "bash"), ("zoe", 20001, "", "bash")]
          if "kernel" in active:
              fixed.append(("kim", ${least}, "", "[rcu_sched]"))
          if "defunct" in active:
              fixed.append(("kim", ${least}, "", "bash <defunct>"))
          if "units" in active:
              fixed += [("max", ${least}, "G", "bash"), ("max", ${least}, "M", "bash")]
          for number, (user, rss, unit, command) in enumerate([] if none else fixed):
              pid = 7000 + number
              cells = {"PID": pid, "PPID": 0, "USER": user, "RSS": f"{rss}{unit}"}
              text += " ".join(f"{cells[name]:>6}" for name in columns) + f" {command}\n"
              truth[pid] = (0, user, rss * UNITS[unit], user != "kim")
          return text, truth


      def compare(active):
          if active & {"orphans", "deepest"}:
              active = active | ({"kernel", "defunct"} & set(RULES))
          text, truth = drawn(active)
          kept = {pid: row for pid, row in truth.items() if row[3]}
          sums = {}
          for _, user, rss, _ in kept.values():
              total, count = sums.get(user, (0, 0))
              sums[user] = (total + rss, count + 1)
          order = sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
          wanted = [f"{user} {${average ? "total} {count" : "count} {total"}}" for user, (total, count) in order if "small" not in RULES or total >= ${least}]
          if "orphans" in RULES:
              wanted.append(f"orphans {sum(row[0] != 0 and row[0] not in truth for row in kept.values())}")
          if "deepest" in RULES:

              def depth(pid):
                  return 1 + depth(kept[pid][0]) if pid in kept else 0

              wanted.append(f"deepest {max(map(depth, kept), default=0)}")
          got = output(["bash", "${file}", write("table.txt", text)])
          same(got.splitlines(), wanted, f"for {text!r}")
    `,
    app: () => ({ "ps.txt": sample.join("\n") }),
    look: "cat ps.txt",
    attempt: `bash ${file} ps.txt`,
  };
}
