import { text } from "../text.ts";

/**
 * Python for a verifier: reads the repository that the agent left without letting anything of it run. Objects and references are copied into a
 * new repository, so that no configuration, hook, filter or file system monitor of the agent's comes along.
 */
export const repositoryReader = text`
  def plain_files(folder):
      """The files below a folder by relative path; no links."""
      for parent, folders, names in os.walk(folder):
          for name in names:
              place = os.path.join(parent, name)
              if os.path.isfile(place) and not os.path.islink(place):
                  yield os.path.relpath(place, folder), place


  PLAIN = ["-c", "core.commitGraph=false"]


  def open_repository():
      source = os.path.join(app, ".git")
      expect(os.path.isdir(source) and not os.path.islink(source), ".git is missing")
      place = os.path.join(tempfile.mkdtemp(), "repository")
      atexit.register(shutil.rmtree, os.path.dirname(place), ignore_errors=True)
      output(["git", "init", "-q", "--bare", "--template=", place], cwd=tests, trusted=True)
      for path, file in plain_files(source):
          if path == "HEAD" or path == "packed-refs" or (path.startswith(("objects/", "refs/")) and "alternates" not in path):
              os.makedirs(os.path.dirname(os.path.join(place, path)), exist_ok=True)
              shutil.copyfile(file, os.path.join(place, path))
      code, out, err = run(["git", "--git-dir", place, *PLAIN, "fsck", "--no-progress", "--no-dangling"], cwd=tests, trusted=True, timeout=60)
      expect(code == 0, f"the repository is damaged: {err.strip()[-300:]}")
      return place


  _repository = []


  def git(*words, fails=False):
      """What git prints about the repository; with fails=True whether it ends with 0."""
      if not _repository:
          _repository.append(open_repository())
      fixed = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_NO_REPLACE_OBJECTS": "1"}
      code, out, err = run(["git", "--git-dir", _repository[0], *PLAIN, *words], cwd=tests, env=fixed, trusted=True, timeout=60)
      if fails:
          return code == 0
      expect(code == 0, f"git {' '.join(words)}: {err.strip()[-300:]}")
      return out


  def commit_of(name):
      """The hash of the commit that a branch stands at, or None."""
      return git("rev-parse", "--verify", f"refs/heads/{name}^{{commit}}").strip() if git("show-ref", "--verify", "--quiet", f"refs/heads/{name}", fails=True) else None


  def has(branch, commit):
      """Whether a commit belongs to the history of a branch."""
      return commit_of(branch) is not None and git("merge-base", "--is-ancestor", commit, f"refs/heads/{branch}", fails=True)


  def tree(name):
      """The files of a commit by path; links and submodules are left out."""
      rows = [row.split("\t", 1) for row in git("ls-tree", "-r", "-z", name).split("\0") if row]
      for _, path in rows:
          expect(not path.startswith("/") and ".." not in path.split("/"), f"{name} has the path {path}")
      return {path: git("cat-file", "blob", about.split()[2]) for about, path in rows if about.startswith("100")}


  def unfold(files):
      """A folder with these files, in which tested programs may run."""
      folder = os.path.join(scratch(), "tree")
      for path, content in files.items():
          write(path, content, folder)
      return share(folder)


  def same_as_committed(files):
      """Fails when a committed file lies otherwise in the working directory."""
      for path, content in files.items():
          same(read(path), content, f"{path}, which is not what is committed")
`;
