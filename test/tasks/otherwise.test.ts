import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBubblewrapProvider } from "../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import { families } from "../../tasks/generated/families.ts";
import type { Level } from "../../tasks/generated/family.ts";
import { generateTasks } from "../../tasks/generated/generate.ts";
import type { Task } from "../../tasks/task.ts";
import { needs } from "../needs.ts";
import { holdChanged } from "./held.ts";
import { createTaskRunner } from "./run-task.ts";

/** What a verifier must let through though its solution does otherwise, and must not let through though no wrong solution does it. */
interface Otherwise {
  readonly task: string;
  readonly drawn?: { readonly level: Level; readonly as: RegExp };
  readonly what: string;
  readonly passes: boolean;
  readonly script: string | ((task: Task) => string);
}

/** Starts a program that does the work in a process of its own, for which nobody waits. */
const handOver = (file: string): string => `cat > ${file} <<'END'
import os, subprocess, sys
work = subprocess.Popen([sys.executable, ".work.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
work.stdin.write(sys.stdin.buffer.read())
work.stdin.close()
sys.stdout.buffer.write(work.stdout.read())
sys.stdout.flush()
os._exit(0)
END
`;
/** The new name, the path of the old module, the name of the new one. */
function renaming(instruction: string): { better: string; module: string; target: string } {
  const [, module = "", better = "", target = ""] =
    /of `(.*?)` to `(.*?)` and move it to a new module `\w+\/(.*?)\.py`/.exec(instruction) ?? [];
  return { better, module, target };
}

/** Python over `text`, the folder's only program, which is written back. */
const edit = (lines: string): string => `python3 - <<'END'
import glob, re
[path] = glob.glob("*.py")
text = open(path).read()
${lines}
open(path, "w").write(text)
END
`;

const cases: readonly Otherwise[] = [
  {
    task: "security-fix",
    drawn: { level: "medium", as: /SQLite/ },
    what: "tries the unsafe program before it is mended",
    passes: true,
    script: ({ instruction }) => `${/started as `(.*?)`/.exec(instruction)?.[1]} < attack.txt > tried.txt; bash "$SOLVE"`,
  },
  {
    task: "security-fix",
    drawn: { level: "medium", as: /SQLite/ },
    what: "answers rightly and keeps nothing",
    passes: false,
    script: `bash "$SOLVE"; sed -i 's/sqlite3.connect(sys.argv\\[1\\])/sqlite3.connect(":memory:")/' *.py`,
  },
  {
    task: "rename-refactor",
    drawn: { level: "hard", as: /new module/ },
    what: "says in a comment and a docstring where the function is now",
    passes: true,
    script: ({ instruction }) => {
      const { better, module, target } = renaming(instruction);
      return `bash "$SOLVE"; echo "# ${better} is in ${target} now." >> ${module}; sed -i '1i """Beside ${target}."""' ${module}`;
    },
  },
  {
    task: "rename-refactor",
    drawn: { level: "hard", as: /new module/ },
    what: "imports all of the new module into the old one",
    passes: false,
    script: ({ instruction }) => {
      const { module, target } = renaming(instruction);
      return `bash "$SOLVE"; echo "from .${target} import *" >> ${module}`;
    },
  },
  {
    task: "concurrency-bug",
    drawn: { level: "easy", as: /counts in the file/ },
    what: "removes the data that it tried with",
    passes: true,
    script: `bash "$SOLVE"; rm -- *.json`,
  },
  {
    task: "failing-tests",
    drawn: { level: "easy", as: /the mistake is a single one/ },
    what: "mends what fails and breaks what no test tries",
    passes: false,
    script: `bash "$(dirname "$SOLVE")/wrong/mends-one-breaks-another.sh"`,
  },
  {
    task: "performance",
    drawn: { level: "easy", as: /too slow/ },
    what: "lets another process spend the time",
    passes: false,
    script: `cp -- *.py .work.py\nFILE=$(ls -- *.py)\n${handOver('"$FILE"')}`,
  },
  {
    task: "live-service",
    drawn: { level: "medium", as: /HTTP service/ },
    what: "leaves its folder and keeps nothing till it is ended",
    passes: false,
    script: `bash "$SOLVE"
${edit(`text = text.replace("            save()\\n", "").replace("import os\\n", "import os\\nimport signal\\n", 1)
text = text.replace('DATA = "', 'DATA = os.getcwd() + "/" + "').replace("\\n\\nThreadingHTTPServer", '''

def end(*_):
    save()
    os._exit(0)


signal.signal(signal.SIGTERM, end)
os.chdir("/")
ThreadingHTTPServer''')
assert "os.chdir" in text and "+ \\"/\\"" in text`)}`,
  },
  {
    task: "concurrency-bug",
    drawn: { level: "hard", as: /adds to (a|an) (account|shelf|wallet)/ },
    what: "guards what adds by one lock and all else by others",
    passes: false,
    script: `bash "$SOLVE"
${edit(`text, found = re.subn(r"(        place = self.*\\n        with )place.lock(:\\n            place.\\w+ \\+= )", r"\\1adding\\2", text)
assert found == 1
text = text.replace("class Place", "adding = threading.Lock()\\n\\n\\nclass Place")`)}`,
  },
  {
    task: "concurrency-bug",
    drawn: { level: "easy", as: /never takes more/ },
    what: "guards what takes by one lock and what moves by others",
    passes: false,
    script: `bash "$SOLVE"
${edit(`assert text.count("with place.lock:\\n            if") == 1
text = text.replace("with place.lock:\\n            if", "with taking:\\n            if")
text = text.replace("class Place", "taking = threading.Lock()\\n\\n\\nclass Place")`)}`,
  },
  {
    task: "concurrency-bug",
    drawn: { level: "hard", as: /adds to (a|an) (account|shelf|wallet)/ },
    what: "has one lock for all and answers what it has added",
    passes: true,
    script: `bash "$SOLVE"
${edit(`text = text.replace("self.lock = threading.Lock()", "self.lock = one_lock").replace("class Place", "one_lock = threading.RLock()\\n\\n\\nclass Place")
text, found = re.subn(r"\\+= (\\w+)\\n\\n", r"+= \\1\\n        return \\1\\n\\n", text, count=1)
assert found == 1`)}`,
  },
  {
    task: "live-service",
    drawn: { level: "medium", as: /HTTP service/ },
    what: "keeps its numbers in a file of its own",
    passes: false,
    script: `bash "$SOLVE"
${edit(`text = text.replace('open(DATA + ".new", "w"', 'open("own.json", "w"').replace('    os.replace(DATA + ".new", DATA)\\n', "")
text = text.replace("TABLE = json.load(open(DATA", 'TABLE = json.load(open("own.json" if os.path.exists("own.json") else DATA')`)}`,
  },
  {
    task: "git-restore",
    drawn: { level: "medium", as: /stashes/ },
    what: "brings a stash back and makes another commit on top of it",
    passes: false,
    script: `bash "$SOLVE"; git commit -q --allow-empty -m more`,
  },
  {
    task: "git-restore",
    drawn: { level: "medium", as: /stashes/ },
    what: "finds a stash by what it was called and picks it",
    passes: true,
    script: ({ instruction }) => `for id in $(git fsck --unreachable --no-progress | sed -n 's/^unreachable commit //p'); do
  [ "$(git log -1 --format=%s "$id")" = "On main: ${/The stash "(.*?)" was/.exec(instruction)?.[1]}" ] && git cherry-pick -m 1 "$id" > picked.txt
done
git log -1 --format=%s`,
  },
  {
    task: "pipeline",
    drawn: { level: "medium", as: /tree of files/ },
    what: "only finds a folder that is named by its whole path",
    passes: false,
    script: `bash "$SOLVE"; sed -i 's,^cd -- "$1",cd -- "/\${1#/}",' *.sh`,
  },
  ...Object.entries({
    "leaves alone only what lies directly in a folder that stays": "s, ! -path '[^']*',,g",
    "removes the folder that it was given":
      's,^find . -mindepth 1 -depth \\(.*\\)-print -delete,find "$PWD" -depth \\1-printf "%P\\\\n" -delete,',
    "takes no names that end with a space": "s,IFS= read,read,",
  }).map(([what, sed]): Otherwise => {
    return { task: "pipeline", drawn: { level: "hard", as: /tree of files/ }, what, passes: false, script: `bash "$SOLVE"; sed -i '${sed.replaceAll("'", "'\\''")}' *.sh` }; // prettier-ignore
  }),
  {
    task: "planted-bug-c",
    drawn: { level: "hard", as: /postfix/ },
    what: "has room for ten numbers",
    passes: false,
    script: `bash "$SOLVE"; sed -i 's/MOST 100/MOST 10/; s/^ *stack.depth++. = strtol/            if (depth == MOST) return 0;\\n&/' *.c; grep -q 'depth == MOST' *.c`,
  },
  {
    task: "safe-unpack",
    what: "lets a hard link to a symbolic link through",
    passes: false,
    script: `bash "$SOLVE"; grep -q 'len(target) + 1' unpack.py; sed -i 's/len(target) + 1/len(target)/' unpack.py`,
  },
  {
    task: "lost-work",
    what: "tidies the repository up afterwards",
    passes: true,
    script: `bash "$SOLVE"; git reflog expire --expire=now --all; git gc -q --prune=now`,
  },
  ...["lost-work", "merge-both"].map((task) => ({
    task,
    what: "leaves a file about and hides it from git",
    passes: false,
    script: `bash "$SOLVE"; git config status.showUntrackedFiles no; echo draft > left.txt`,
  })),
  {
    task: "matching-rows",
    what: "lets another process spend the time",
    passes: false,
    script: `cat > .work.py <<'END'
import json, sys
left, right = json.load(sys.stdin)
places = {}
for at, row in enumerate(right):
    places.setdefault(" ".join(row[0].split()).casefold(), []).append(at)
places.pop("", None)
sum(range(3 * 10**8 if len(left) > 9999 else 1))
print(json.dumps([[i, at] for i, row in enumerate(left) for at in places.get(" ".join(row[0].split()).casefold(), [])]))
END
python3 - <<'END'
work = open(".work.py").read()
open("join.py", "w").write(f'''import json, subprocess, sys
WORK = {work!r}


def join(left, right):
    run = subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    run.stdin.write(json.dumps([left, right]).encode())
    run.stdin.close()
    pairs = json.loads(run.stdout.readline())
    return [(left[a], right[b]) for a, b in pairs]
''')
END`,
  },
];

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-otherwise-"))));
afterAll(() => rm(root, { recursive: true, force: true }));

/** A task of a family that was drawn as asked, from the first seed on where it is. */
async function drawTask(name: string, { level, as }: NonNullable<Otherwise["drawn"]>, out: string): Promise<Task> {
  const own = families.filter((family) => family.name === name);
  for (const folder of await generateTasks({ families: own, levels: [level], seeds: Array.from({ length: 40 }, (_, i) => i + 1), out })) {
    const task = await loadTask(join(out, folder));
    if (as.test(task.instruction)) return task;
  }
  throw new Error(`${name} draws nothing like ${as}.`);
}

const tools = ["bubblewrap", "python3", "git"] as const;
const builtin = loadSuite("builtin");
/** One of each outcome; the others are run where task or way changed since scripts/campaigns/hold-tasks.ts held them. */
const sample = new Set([true, false].map((passes) => cases.find((one) => one.passes === passes)?.what));

describe.skipIf(tools.some((tool) => needs(tool)))("a verifier", () => {
  const provider = createBubblewrapProvider();
  it.concurrent.each(
    cases.map((one) => [`${one.task} ${one.passes ? "lets through" : "does not let through"} what ${one.what}`, one] as const),
  )(
    "of %s",
    // Performance tasks measure the slow program up to three times.
    { timeout: 300_000 },
    async (_, { task: wanted, drawn, what, script, passes }) => {
      const task = drawn
        ? await drawTask(wanted, drawn, await mkdtemp(join(root, "drawn-")))
        : (await builtin).tasks.find((one) => one.name === wanted);
      if (!task) throw new Error(`There is no task ${wanted}.`);
      const way = typeof script === "string" ? script : script(task);
      await holdChanged(`otherwise: ${wanted} ${what}`, [task.digest, way, passes], { sample: sample.has(what) }, async () => {
        const runner = await createTaskRunner(task, provider);
        const { passed, detail } = await runner.run({ type: "shell", script: way });
        expect(passed, detail).toBe(passes);
      });
    },
  );
});
