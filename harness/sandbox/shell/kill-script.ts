import { quote } from "./quote.ts";

export interface KillTarget {
  /** `FORGE_CALL=…` as it stands in the environment of everything the call started. */
  readonly mark: string;
  /** The worker that runs the call: its children are the call's. Absent: everything that carries the mark. */
  readonly workerPid?: number;
  readonly workerPids: readonly number[];
  /** True in a process namespace of its own, where an unmarked orphan that is younger than the call can only have come from inside. */
  readonly ownNamespace: boolean;
}

/**
 * Shell text that ends a call and its descendants: TERM, up to half a second, then KILL until nobody is left.
 * Who belongs to it: children of its worker, whoever carries the mark, and their children and sessions; so that neither `setsid` nor a double fork hides,
 * and clearing the environment hides only outside a process namespace. Uses little but builtins, because a fork may be what has run out.
 */
export function killScript(target: KillTarget): string {
  return `
worker=${target.workerPid ?? "none"} own=${target.ownNamespace ? 1 : 0} spare=' 1 ${target.workerPids.join(" ")} ' mark=${quote(target.mark)}
${body}`;
}

const body = String.raw`
seen=' ' since=
look() {
  marked=" $(grep -lsaF -e "$mark" /proc/[0-9]*/environ | tr -dc '0-9\n' | tr '\n' ' ') "
  foreign=; [ $own = 1 ] && foreign=" $(grep -lsaF -e FORGE_CALL= /proc/[0-9]*/environ | tr -dc '0-9\n' | tr '\n' ' ') "
  # A shell reads each process's line byte by byte, of all there are: not where no process can belong to the call.
  carriers=; for pid in $marked; do case $spare in *" $pid "*) ;; *) carriers=1 ;; esac; done
  targets=' '
  [ "$own$worker$seen$carriers" = '0none ' ] && return
  table=
  for stat in /proc/[0-9]*/stat; do
    IFS= read -r line <"$stat" || continue
    pid=${"$"}{stat#/proc/}; pid=${"$"}{pid%/stat}
    case $spare in *" $pid "*) continue ;; esac
    set -f; set -- ${"$"}{line##*) }; set +f
    [ "$1" = Z ] && continue
    [ "$2" = "$worker" ] && [ -z "$since" ] && since=${"$"}{20}
    table="$table$pid $2 $4 ${"$"}{20}
"
  done
  more=1
  while [ $more = 1 ]; do
    more=0
    while read -r pid parent session start; do
      [ -n "$pid" ] || continue
      case $targets in *" $pid "*) continue ;; esac
      case "$seen" in *" $pid "* | *" $parent "* | *" $session "*) hit=1 ;; *) hit=0 ;; esac
      [ "$parent" = "$worker" ] && hit=1
      case $marked in *" $pid "*) hit=1 ;; esac
      if [ $hit = 0 ] && [ $own = 1 ] && [ "$parent" = 1 ] && [ -n "$since" ] && [ "$start" -ge "$since" ]; then
        case $foreign in *" $pid "*) ;; *) hit=1 ;; esac
      fi
      [ $hit = 1 ] || continue
      targets="$targets$pid " seen="$seen$pid " more=1
    done <<END
$table
END
  done
}
round=0 signal=TERM
while [ $round -lt 60 ]; do
  look
  [ "$targets" = ' ' ] && exit 0
  [ $round -ge 10 ] && signal=KILL
  [ $round -eq 0 ] || [ $round -ge 10 ] && kill -$signal $targets
  sleep 0.05 || sleep 1
  round=$((round + 1))
done
exit 1
`;
