/**
 * The loop of a worker shell inside the sandbox, in POSIX sh. It runs one request at a time.
 *
 * A request on stdin is a line `<mark> <lines> <stdin bytes>`, then the shell text (that many lines, or, when the number is negative, that many bytes),
 * then that many bytes for the command's stdin. The command writes to the worker's own stdout and stderr, so its output is binary-safe and costs nothing.
 * On stderr the mark comes before and after the output, on stdout after it, followed by the exit code and whether someone still holds these streams;
 * a held worker ends itself, so that a background child's later output cannot reach another command. The mark is random and is never in an argument,
 * the environment or a file, so that a command cannot end its own reply; and the command's own descriptors do not lead to the requests.
 *
 * Nobody holds these streams when a command begins, so only processes that began with it or after it are looked at: by their ids, which are given out in
 * turn. Where they have begun again at the lowest meanwhile, or may have, with 10,000 new processes a second, all are looked at but the worker's parent,
 * which may read from the streams.
 * Bytes of the request after the header must be read exactly: `head -c` of some systems reads ahead, so it is tried once before it is trusted.
 */
export const workerScript = String.raw`{
exec 7<&0 8>&1 9>&2 </dev/null >/dev/null 2>/dev/null
unset __fm __fl __fb __ft __fn __fx __fc __fh __ff __fg __fi __fe __fs __fo __fp __fq __fu __fv __fz
__fe=; __fn=0
__fs=; command -v setsid >/dev/null && __fs=setsid
way() {
  [ -z "$__fe" ] || return 0
  __fe=byte
  if printf 12345rest | { head -c 5 >/dev/null; [ "$(cat)" = rest ]; }; then __fe=head
  elif printf 12345rest | { dd bs=5 count=1 iflag=fullblock >/dev/null; [ "$(cat)" = rest ]; }; then __fe=full; fi
}
exact() {
  case $__fe in
    head) head -c "$1" <&7 ;;
    full) dd bs="$1" count=1 iflag=fullblock <&7 ;;
    *) dd ibs=1 obs=65536 count="$1" <&7 ;;
  esac
}
ids_now() {
  IFS=' ' read -r __fx __fx __fx __fx __fq </proc/loadavg && IFS=' .' read -r __fv __fx </proc/uptime
}
ids_before() {
  ids_now && __fp=$__fq __fu=$__fv || __fp=
}
ids_from() {
  __fo=0
  [ -n "$__fp" ] && ids_now && [ "$__fq" -gt "$__fp" ] || return 0
  if [ "$__fv" -gt "$__fu" ]; then
    [ -n "$__fz" ] || __fz=$(cat /proc/sys/kernel/pid_max)
    [ $((__fv - __fu)) -le $((${"$"}{__fz:-0} / 10000)) ] || return 0
  fi
  __fo=$__fp
}
held() {
  [ /proc/$$/fd/8 -ef /proc/$$/fd/8 ] || return 0
  ids_from
  for __ff in /proc/[0-9]*; do
    [ "${"$"}{__ff#/proc/}" -gt "$__fo" ] || continue
    case $__ff in /proc/$$ | /proc/$PPID) continue ;; esac
    for __fg in "$__ff"/fd/*; do
      if [ "$__fg" -ef /proc/$$/fd/8 ] || [ "$__fg" -ef /proc/$$/fd/9 ]; then return 0; fi
    done
  done
  return 1
}
printf 'ready %s\n' $$ >&8
while IFS=' ' read -r __fm __fl __fb <&7; do
  __ft=
  if [ "$__fl" -ge 0 ]; then
    while [ "$__fl" -gt 0 ]; do
      IFS= read -r __fx <&7 || exit 1
      __ft="$__ft$__fx
"
      __fl=$((__fl - 1))
    done
  else
    way
    __ft=$(exact $((-__fl)); echo .)
    __ft=${"$"}{__ft%.}
  fi
  printf '%s\n' "$__fm" >&9
  if [ "$__fb" -gt 0 ]; then
    __fn=$((__fn + 1))
    for __fi in /tmp /dev/shm /var/tmp .; do [ -w $__fi ] && break; done
    __fi=$__fi/.forge-stdin-$$-$__fn
    rm -f "$__fi"
    way
    (umask 077; set -C; exact "$__fb" >"$__fi") || exit 1
    exec 6<"$__fi"
    rm -f "$__fi"
    ids_before
    (eval "$__ft") <&6 >&8 2>&9 6<&- 7<&- 8>&- 9>&-
    __fc=$?
    exec 6<&-
  else
    ids_before
    (eval "$__ft") >&8 2>&9 7<&- 8>&- 9>&-
    __fc=$?
  fi
  __fh=0
  held && __fh=1
  printf '%s\n' "$__fm" >&9
  printf '%s %s %s\n' "$__fm" "$__fc" "$__fh" >&8
  [ $__fh = 0 ] || exit 0
done
exit 0
}
`;

/** Starts a worker: the script comes first on its stdin, so that a list of processes stays readable. The braces make the shell read all of it before it begins. */
export const workerCommand = ["/bin/sh", "-s", "forge-worker"] as const;
