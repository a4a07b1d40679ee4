import { describe, expect, it } from "vitest";
import { claimedFiles } from "../../middleware/completion-gate/claimed-files.ts";
import { announcesNextStep } from "../../middleware/completion-gate/intention.ts";
import { requestedFiles } from "../../middleware/completion-gate/requested-files.ts";

describe("files that a task asks for", () => {
  it.each([
    ["Write the result to out.txt.", ["out.txt"]],
    ["Create `src/sum.py` and `src/sub.py`.", ["src/sum.py", "src/sub.py"]],
    ["Read in.csv and save the totals as JSON in /app/out/totals.json", ["/app/out/totals.json"]],
    ["- Generate report.md\n- Put the log into logs/run.log", ["report.md", "logs/run.log"]],
    ["Write a bash script named `rename.sh` in the current folder.", ["rename.sh"]],
    ["Write its hash (40 characters) into the file `bad.txt`.", ["bad.txt"]],
    ["Move that code into one function in a new module `slug.py`.", ["slug.py"]],
    ["Add a file named .github/workflows/ci.yml.", [".github/workflows/ci.yml"]],
    ["Sort the names in names.txt by length and write them,\none a line, to sorted.txt.", ["sorted.txt"]],
  ])("%s", (task, paths) => expect(requestedFiles(task)).toEqual(paths));

  it.each([
    ["an input", "Fix the bug in parser.py so that the tests pass."],
    ["what may not be there", "Delete old.txt and do not create new.txt."],
    ["a rename", "Rename a.txt to b.txt."],
    ["an example", "Write a program that saves its output, such as out.txt or data.json."],
    ["what a program will do later", "Create a script that writes its answer to answer.txt."],
    ["an address, a host, a version", "Create the page described at https://example.org/spec.html with version 3.11.txt of example.com."],
    ["a product or a module", "Build it with Node.js, Next.js and os.path, and output with console.log."],
    ["a pattern or a placeholder", "Write one file per user to users/*.json or <name>.txt or ${id}.csv."],
    ["a command", "Make sure that `python3 tool.py --out result.json` works."],
    ["code", "Write it.\n```\nopen('x.txt')\n```"],
    ["the verifier's folders", "Write it to /tests/out.txt and /logs/verifier/reward.txt."],
    ["a name that sounds like work", "The tests in build.py and output.txt fail; find out why."],
    ["a mail address", "Put me@example.py into the list."],
  ])("leaves out %s", (_, task) => expect(requestedFiles(task)).toEqual([]));
});

describe("files that an answer claims to have made", () => {
  it.each([
    ["I wrote out.txt.", ["out.txt"]],
    ["Saved to `data/result.json`. DONE", ["data/result.json"]],
    ["The report is in report.md", ["report.md"]],
    ["summary.csv has been created with three rows.", ["summary.csv"]],
    ["- Created a.py\n- Updated b.py and c.py", ["a.py", "b.py", "c.py"]],
    ["**Done!** I've added `tests/test_x.py`.", ["tests/test_x.py"]],
    ["I created not.txt.", ["not.txt"]],
    ["The file out.txt now contains the names.", ["out.txt"]],
  ])("%s", (answer, paths) => expect(claimedFiles(answer)).toEqual(paths));

  it.each([
    ["a mention", "The program reads input.csv and is called by main.py."],
    ["what the made thing reads", "I wrote a parser that reads config.toml."],
    ["a plan", "Next I will write out.txt."],
    ["a denial", "I could not create out.txt."],
    ["a deletion", "I removed old.py."],
    ["a question", "Should I have created out.txt?"],
    ["a source", "I generated it from input.csv."],
    ["a condition", "If out.txt is created, it holds the names."],
    ["code", "```\ncreated out.txt\n```"],
  ])("leaves out %s", (_, answer) => expect(claimedFiles(answer)).toEqual([]));
});

describe("an answer that ends on an intention", () => {
  it.each([
    "Next I will run the tests.",
    "The file is there. Let me now check the output.",
    "I fixed the parser.\n\nNow I'll update the README:",
    "Okay, next, I'm going to create out.txt",
    "I need to install pytest first.",
    "Let me run it.\nDONE",
    "Next, let me verify this",
  ])("%s", (answer) => expect(announcesNextStep(answer)).toBe(true));

  it.each([
    "All tests pass. Let me know if you want more.",
    "I will be happy to help further.",
    "If you want, I will add tests.",
    "DONE",
    "",
    "Next steps for you: add tests.",
    "I wrote out.txt and checked it.",
    "Let me know whether I should run the slow tests too.",
    "The tool will run the checks each night.",
  ])("is not: %s", (answer) => expect(announcesNextStep(answer)).toBe(false));
});

it("reads a long answer without a space in it in no time", () => {
  const long = `I wrote ${"a.b@".repeat(50_000)} and ${"x/".repeat(50_000)} into ${"(".repeat(50_000)}.`;
  expect(claimedFiles(long)).toEqual([]);
  expect(requestedFiles(`Write ${long}`)).toEqual([]);
  expect(announcesNextStep(long)).toBe(false);
});
