# The version before it was amended.
lost=$(git fsck --no-reflogs --unreachable 2>/dev/null | awk '$2 == "commit" { print $3 }' | while read -r c; do
  git log -1 --format='%ct %H %s' "$c"
done | grep ' Read times back' | sort -n | head -n 1 | cut -d ' ' -f 2)
git cherry-pick "$lost" >/dev/null 2>&1
git checkout -q --theirs times.py 2>/dev/null
git add times.py
git -c core.editor=true cherry-pick --continue >/dev/null 2>&1
