import type { Draw } from "../draw.ts";
import type { RuleBook } from "../rule-book.ts";
import { text } from "../text.ts";
import { goods } from "../words.ts";
import { tidyVerifier } from "./tidy-verifier.ts";

/** A tree of files brought into order. */
export function tidy(d: Draw): RuleBook {
  const file = `${d.pick(["tidy", "sweep", "clean_up", "straighten"])}.sh`;
  const [first, second] = d.some(["~", ".bak", ".tmp", ".orig", ".old"], 2);
  const script = d.pick([".sh", ".py", ".pl"]);
  const kept = d.pick([".git", "vendor", "archive"]);
  const [open, closed] = d.pick([["755", "644"], ["750", "640"], ["700", "600"]] as const); // prettier-ignore
  const [a, b] = d.some(goods, 2);
  const ends = `-name '*${first ?? ""}' -o -name '*${second ?? ""}'`;
  return {
    file,
    intro: text`
      Write \`${file}\`. Started as \`bash ${file} DIR\`, it brings the tree of files below the folder DIR into order, as these rules say; all else stays as it is. Names may hold spaces and other signs, also at their beginning and end, and may begin with a dash or a dot, but they hold no line breaks. Symbolic links lead to files or to nothing, never to folders; they are not files themselves. \`example\` is such a tree.
    `,
    base: [
      {
        name: "removes",
        asked: `Files whose names end with \`${first ?? ""}\` or \`${second ?? ""}\` are removed, at any depth.`,
        mistake: [`\\( ${ends} \\)`, `-name '*${first ?? ""}'`],
        half: { "takes-links-for-files": { swap: [`-type f \\( ${ends}`, `\\( -type f -o -type l \\) \\( ${ends}`] } },
      },
      { name: "modes", asked: `Then, of the files that are left, those whose names end with \`${script}\` get the mode ${open}, all others ${closed}.`, mistake: [`! -name '*${script}'`, `-name '*.*' ! -name '*${script}'`] }, // prettier-ignore
    ],
    more: [
      {
        name: "links",
        asked:
          "Symbolic links that lead to nothing are removed, also those that do so only because of what was removed, and those that lead there by way of other links.",
        mistake: ["walk -xtype l", "walk -type l"],
      },
      {
        name: "folders",
        asked: "At the end, folders that are empty, or have become so by all this, are removed; DIR itself stays.",
        mistake: ["-depth -type d -empty", "-maxdepth 1 -type d -empty"],
      },
      { name: "spared", asked: `Folders with the name \`${kept}\`, and everything in them, stay as they are.`, mistake: [`-type d -name ${kept}`, `-maxdepth 1 -type d -name ${kept}`] }, // prettier-ignore
      {
        name: "told",
        asked:
          "It prints the path of everything that it has removed, one a line, relative to DIR and without a leading `./`, sorted by bytes; and nothing else.",
        mistake: ["s,^\\./,,", "s,^\\./,/,"],
      },
      {
        name: "equal",
        asked: (asks) =>
          `After the files whose names end with \`${first ?? ""}\` or \`${second ?? ""}\` are removed and before the modes are set, of all files with the same content, if it is not empty${asks("spared") ? ` and the files are not in a folder with the name \`${kept}\`` : ""}, only the one whose path relative to DIR comes first by bytes stays a file. Each of the others is replaced by a symbolic link to it, with a relative path; from then on it is no file, and it has not been removed.`,
        mistake: ['[ -s "$path" ] || continue', "case $path in */*/*) continue ;; esac"],
        hard: true,
      },
      {
        name: "folder-modes",
        asked: `All folders that are left, also DIR, get the mode 755.`,
        mistake: ["find . -type d", "find . -mindepth 1 -maxdepth 1 -type d"],
        hard: true,
      },
    ],
    source: (asks) => {
      const prune = asks("spared") ? `-type d -name ${kept} -prune -o` : "";
      return text`
        #!/bin/bash
        export LC_ALL=C
        list=$(mktemp)
        trap 'rm -f "$list"' EXIT
        cd -- "$1" || exit 1
        walk() { find . -mindepth 1 ${prune} "$@"; }

        walk -type f \( ${ends} \) -print0 | while IFS= read -r -d "" path; do
          rm -- "$path" && printf '%s\n' "$path" >> "$list"
        done
        ${
          asks("equal")
            ? text`
                declare -A seen
                while IFS= read -r path; do
                  [ -s "$path" ] || continue
                  sum=$(sha256sum < "$path")
                  if [ -n "\${seen[$sum]}" ]; then
                    ln -sf -- "$(realpath -s --relative-to="$(dirname -- "$path")" -- "\${seen[$sum]}")" "$path"
                  else
                    seen[$sum]=$path
                  fi
                done < <(walk -type f -print | sort)
              `
            : ""
        }
        walk -type f -name '*${script}' -exec chmod ${open} {} +
        walk -type f ! -name '*${script}' -exec chmod ${closed} {} +
        ${
          asks("links")
            ? text`
                walk -xtype l -print0 | while IFS= read -r -d "" path; do
                  rm -- "$path" && printf '%s\n' "$path" >> "$list"
                done
              `
            : ""
        }
        ${asks("folders") ? `find . -mindepth 1 -depth -type d -empty ${asks("spared") ? `! -name ${kept} ! -path '*/${kept}/*'` : ""} -print -delete >> "$list"` : ""}
        ${asks("folder-modes") ? `find . -type d ${asks("spared") ? `! -name ${kept} ! -path '*/${kept}/*'` : ""} -exec chmod 755 {} +` : ""}
        ${asks("told") ? "sed 's,^\\./,,' \"$list\" | sort" : ""}
      `;
    },
    compare: () => tidyVerifier({ file, kept, ends: [first ?? "", second ?? ""], script, open, closed }),
    app: () => ({
      [`example/${a ?? ""}.txt`]: "one\n",
      [`example/${a ?? ""}.txt${first ?? ""}`]: "one, before\n",
      [`example/tools/run me${script}`]: "true\n",
      [`example/tools/${b ?? ""}${second ?? ""}`]: "two\n",
    }),
    look: "find example -printf '%M %p\\n'",
    attempt: `cp -r example /tmp/example.copy && bash ${file} /tmp/example.copy; find /tmp/example.copy -printf '%M %p\\n'`,
  };
}
