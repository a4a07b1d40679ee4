import { text } from "../text.ts";

interface Words {
  readonly file: string;
  /** The name of folders that are left alone. */
  readonly kept: string;
  /** How the names of what is removed end. */
  readonly ends: readonly [string, string];
  readonly script: string;
  /** The modes of scripts and of other files, in octal digits. */
  readonly open: string;
  readonly closed: string;
}

/** Python: draws a tree, tidies it as data, and compares that with what the script has made of the same tree on disk. */
export const tidyVerifier = ({ file, kept, ends, script, open, closed }: Words): string => text`
      SPARED = "${kept}"
      ENDS = ("${ends[0]}", "${ends[1]}")


      def drawn(active):
          """The tree by path: a folder is (None, mode), a file (content, mode), a link a text."""
          stems = ["a", "b c", "-n", "notes", "README", "run", "x.y", "*", "Z"]
          ends = ["", ".txt", "${script}", "${script}", "${script}x", *ENDS]
          folders, tree = [""], {}
          for name in rng.sample(["src", "two words", "-f", "deep", "docs", "old"], rng.randint(2, 4)) + (["void", "void/inner", "gone"] if "folders" in active else []) + ([SPARED] if "spared" in active else []):
              parent = rng.choice(folders) if name not in ("void/inner", "void") else ""
              path = os.path.join(parent, name)
              if SPARED in path.split("/") and name != SPARED:
                  path = name
              tree[path] = (None, rng.choice([0o755, 0o775, 0o711]) if "folder-modes" in active else 0o755)
              if name not in ("void", "void/inner"):
                  folders.append(path)
          if "spared" in active:
              nested = os.path.join(folders[1], SPARED)
              if nested not in tree and SPARED not in folders[1].split("/"):
                  tree[nested] = (None, 0o755)
                  folders.append(nested)
          for _ in range(rng.randint(6, 16)):
              parent = rng.choice(folders)
              end = rng.choice(ends) if os.path.basename(parent) != "gone" else ENDS[0]
              path = os.path.join(parent, rng.choice(stems) + end)
              if "equal" in active:
                  content = rng.choice(["", "same\n", "same\n", "twin\n", f"{rng.random()}\n"])
              else:
                  content = f"{rng.random()}\n"
              tree.setdefault(path, (content, rng.choice([0o600, 0o644, 0o664, 0o755, 0o777])))
          # What only looks like something that is to be removed or to get a mode: links and folders with such names.
          tree["anchor"] = (f"{rng.random()}\n", 0o600)
          tree[f"way{ENDS[0]}"] = "anchor"
          tree["road${script}"] = "anchor"
          tree[f"shelf{ENDS[1]}"] = (None, 0o755)
          tree[f"shelf{ENDS[1]}/inside"] = (f"{rng.random()}\n", 0o644)
          # Names that a careless script takes apart, or does not see.
          for name in (".rc", ENDS[1], ".dot${script}", "back\\slash" + ENDS[0], "shelf" + ENDS[1] + "/ .x" + ENDS[0]):
              tree[name] = (f"{rng.random()}\n", 0o600)
          for name in (" lead", "tail "):
              tree[name] = ("ends\n" if "equal" in active else f"{rng.random()}\n", 0o600)
          if "spared" in active:
              # What would be removed, joined or given a mode anywhere else, further down than the folder that is spared.
              deep = f"{SPARED}/in"
              tree.update({SPARED: (None, 0o755), deep: (None, 0o711), f"{deep}/void": (None, 0o711), f"{deep}/dead": "nowhere"})
              tree.update({f"{deep}/x{end}": ("same\n", 0o604) for end in ("", "${script}", *ENDS)})
          if {"spared", "folders"} <= active:
              tree["hollow"] = tree[f"hollow/{SPARED}"] = (None, 0o755)
          if "links" in active:
              # One to another to nothing, one to what is removed; a folder with nothing but such a link.
              tree["lost" + ENDS[0]] = (f"{rng.random()}\n", 0o644)
              tree.update({"chain 1": "chain 2 ", "chain 2 ": "nowhere", "was": "lost" + ENDS[0], "lone": (None, 0o755), "lone/dead": "../chain 1"})
              files = [path for path, item in tree.items() if item[0] is not None]
              links = []
              for number in range(rng.randint(3, 6)):
                  parent = rng.choice(folders)
                  target = rng.choice([*files, *files[:4], *links, "missing", "src/missing" if "src" in tree else "none"])
                  path = os.path.join(parent, f"link {number}")
                  tree[path] = os.path.relpath(target, parent or ".")
                  links.append(path)
          return tree


      def spared(path, tree):
          """Whether a path is a spared folder, or in one."""
          parts = path.split("/")
          return "spared" in RULES and any(part == SPARED and isinstance(tree.get("/".join(parts[: i + 1])), tuple) for i, part in enumerate(parts))


      def leads_to(path, tree):
          while isinstance(tree.get(path), str):
              path = os.path.normpath(os.path.join(os.path.dirname(path), tree[path]))
          return path


      def tidied(tree):
          """The tree as it is to be, and what was removed."""
          tree, removed = dict(tree), []
          mine = lambda: [path for path in sorted(tree, key=str.encode) if not spared(path, tree)]
          is_file = lambda path: isinstance(tree[path], tuple) and tree[path][0] is not None
          for path in mine():
              if is_file(path) and path.endswith(ENDS):
                  removed.append(path)
                  del tree[path]
          if "equal" in RULES:
              first = {}
              for path in mine():
                  if is_file(path) and tree[path][0]:
                      one = first.setdefault(tree[path][0], path)
                      if one != path:
                          tree[path] = os.path.relpath(one, os.path.dirname(path) or ".")
          for path in mine():
              if is_file(path):
                  tree[path] = (tree[path][0], 0o${open} if path.endswith("${script}") else 0o${closed})
          if "links" in RULES:
              for path in [path for path in mine() if isinstance(tree[path], str) and leads_to(path, tree) not in tree]:
                  removed.append(path)
                  del tree[path]
          if "folders" in RULES:
              for path in mine()[::-1]:
                  if tree[path][0] is None and not any(other.startswith(path + "/") for other in tree):
                      removed.append(path)
                      del tree[path]
          if "folder-modes" in RULES:
              for path in mine():
                  if tree[path][0] is None:
                      tree[path] = (None, 0o755)
          return tree, sorted(removed, key=str.encode)


      def build(tree):
          top = os.path.join(scratch(), "a tree")
          os.mkdir(top)
          for path, item in sorted(tree.items()):
              place = os.path.join(top, path)
              if isinstance(item, str):
                  os.symlink(item, place)
              elif item[0] is None:
                  os.mkdir(place)
              else:
                  write(path, item[0], top)
          for path, item in tree.items():
              if isinstance(item, tuple):
                  os.chmod(os.path.join(top, path), item[1])
          os.chmod(top, 0o777)
          return share(top)


      def found(top):
          tree = {}
          for parent, folders, files in os.walk(top):
              for name in folders + files:
                  place = os.path.join(parent, name)
                  path = os.path.relpath(place, top)
                  mode = os.lstat(place).st_mode & 0o777
                  if os.path.islink(place):
                      tree[path] = os.readlink(place)
                  elif os.path.isdir(place):
                      tree[path] = (None, mode)
                  else:
                      with open(place, encoding="utf-8") as file:
                          tree[path] = (file.read(), mode)
          return tree


      def compare(active):
          hold(drawn(active))
          if "folders" in active:
              # Nothing stays but DIR.
              hold({"x" + ENDS[0]: ("x\n", 0o644), "empty": (None, 0o755), "full": (None, 0o755), "full/x" + ENDS[1]: ("x\n", 0o644)})


      def hold(tree):
          top = build(tree)
          wanted, removed = tidied(tree)
          # Another language sorts otherwise than by bytes.
          printed = output(["bash", "${file}", rng.choice([top, os.path.relpath(top, app)])], env={"LC_ALL": rng.choice(["C.UTF-8", "tr_TR.UTF-8"])})
          expect(os.path.isdir(top), f"DIR is gone for {sorted(tree.items())}")
          got = found(top)
          shown = f"for {sorted(tree.items())}"
          same(sorted(got), sorted(wanted), "what is there " + shown)
          for path in wanted:
              if isinstance(tree[path], tuple) and isinstance(wanted[path], str) and isinstance(got[path], str):
                  # A link that was made: its text may be any relative path to the right file.
                  expect(not os.path.isabs(got[path]), f"{path!r} is a link with an absolute path")
                  same(*(os.path.normpath(os.path.join(os.path.dirname(path), link)) for link in (got[path], wanted[path])), f"where {path!r} leads {shown}")
              else:
                  same(got[path], wanted[path], f"{path!r} {shown}")
          same(os.stat(top).st_mode & 0o777, 0o755 if "folder-modes" in RULES else 0o777, "the mode of DIR")
          if "told" in RULES:
              same(printed.splitlines(), removed, "what it prints " + shown)
    `;
