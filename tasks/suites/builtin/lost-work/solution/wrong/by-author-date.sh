# The latest by the author's clock is somebody else's try.
lost=$(git fsck --no-reflogs --unreachable 2>/dev/null | awk '$2 == "commit" { print $3 }' | while read -r c; do
  git log -1 --format='%at %H %s' "$c"
done | grep ' Read times back' | sort -n | tail -n 1 | cut -d ' ' -f 2)
git cherry-pick "$lost" >/dev/null 2>&1
git checkout -q --ours times.py 2>/dev/null
git show "$lost:times.py" | tail -n 4 >> times.py
git add times.py
git -c core.editor=true cherry-pick --continue >/dev/null 2>&1
