#!/bin/sh
# usage: run.sh [--time-limit=SECONDS] [--device=NAME] [--only=TEXT] [--out=FOLDER]
#
# Runs the cases of this bundle on a GPU: correctness against results of device cpu that are stored here, the same under
# compute-sanitizer where that is installed, then benchmarks. Needs the NVIDIA driver and a shell, nothing else.
# Writes FOLDER/results.json and FOLDER/results.txt (default: results/) after every case, so that a run that is cut off
# leaves what it had. Fails if a case did.
#
#   --time-limit=SECONDS  stops after that time; cases that were not reached are in the results as "not run"
#   --device=NAME         cuda, cuda:1, or cpu to try the bundle without a GPU (default cuda)
#   --only=TEXT           only cases with TEXT in their name
set -u

here=$(cd "$(dirname "$0")" && pwd)
device=cuda
limit=0
only=
out=$here/results
for argument; do
  case $argument in
    --time-limit=*[!0-9]* | --time-limit=) echo "run.sh: --time-limit takes seconds" >&2; exit 2 ;;
    --time-limit=*) limit=${argument#*=} ;;
    --device=*) device=${argument#*=} ;;
    --only=*) only=${argument#*=} ;;
    --out=*) out=${argument#*=} ;;
    --help | -h) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "run.sh: unknown argument '$argument'" >&2; exit 2 ;;
  esac
done
mkdir -p "$out/work" || exit 2
out=$(cd "$out" && pwd)
cd "$here" || exit 2

# The libraries that travel along come before the system's, for mp-exec alone. Where the system's C library is older than
# ours, ours is used with its own loader.
libraries=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mp_exec="env LD_LIBRARY_PATH=$libraries $here/bin/mp-exec"
$mp_exec --help >/dev/null 2>&1 ||
  mp_exec="$here/glibc/ld-linux-x86-64.so.2 --library-path $here/glibc:$libraries $here/bin/mp-exec"

start=$(date +%s)
elapsed() { echo $(($(date +%s) - start)); }
left() { if [ "$limit" -eq 0 ]; then echo 86400; else echo $((limit - $(elapsed))); fi; }

# text: as a JSON string.
quote() { printf '%s' "$1" | tr '\t\r\n' '   ' | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/"/'; [ -n "$1" ] || printf '""'; }

# What machine this is, one property a line.
machine() {
  echo "device: $device"
  echo "date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "system: $(uname -sr)"
  echo "bundle: $(cat "$here/commit" 2>/dev/null)"
  $mp_exec devices 2>&1 | sed -n 's/^\(c[a-z]*:.*\)/found: \1/p'
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit,memory.total --format=csv,noheader 2>&1 |
      sed 's/^/nvidia-smi: /'
  fi
}

results=$out/work/results.tsv
: >"$results"
machine >"$out/work/machine"

# Writes both files anew from what there is.
report() {
  {
    printf '{"machine": ['
    separator=
    while IFS= read -r line; do printf '%s\n  ' "$separator"; quote "$line"; separator=,; done <"$out/work/machine"
    printf '],\n "results": ['
    separator=
    tab=$(printf '\t')
    while IFS=$tab read -r name kind status seconds value message; do
      printf '%s\n  {"name": ' "$separator"; quote "$name"
      printf ', "kind": "%s", "status": "%s", "seconds": %s, "value": %s, "message": ' "$kind" "$status" "$seconds" "$value"
      quote "$message"; printf '}'
      separator=,
    done <"$results"
    printf ']}\n'
  } >"$out/results.json.new" && mv "$out/results.json.new" "$out/results.json"
  {
    cat "$out/work/machine"
    echo
    awk -F '\t' '{ printf "%-36s %-10s %-8s %5s s  %s%s\n", $1, $2, $3, $4, $5 == "null" ? "" : $5 " rows/s", $6 == "" ? "" : "  " $6 }' "$results"
    echo
    awk -F '\t' '{ count[$3]++ } END { for (status in count) printf "%s %d  ", status, count[status]; print "" }' "$results"
  } >"$out/results.txt.new" && mv "$out/results.txt.new" "$out/results.txt"
}

# name kind status seconds value message
note() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$(printf '%s' "$6" | tr '\t\r\n' '   ' | cut -c1-400)" >>"$results"
  printf '%-36s %-10s %s %s\n' "$1" "$2" "$3" "$6" | cut -c1-200
  report
}

# The middle of the rows per second of a log, without its first steps.
median_rate() {
  sed -n 's/.*"samples_per_second":\([0-9.e+]*\).*/\1/p' "$1" | tail -n +11 | sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "null" }'
}

# Runs one line of the manifest: name, kind, arguments; where the kind is train, a second command that checks what the
# first one left.
run_case() {
  name=$1 kind=$2 first=$3 second=$4
  work=$out/work/$name
  wrapper=
  [ "$kind" = sanitize ] && wrapper="compute-sanitizer --target-processes all --error-exitcode 9 --log-file $work/sanitizer"
  rm -rf "$work" && mkdir -p "$work"
  begin=$(date +%s)
  value=null
  : >"$work/log"
  for arguments in "$first" "$second"; do
    [ -n "$arguments" ] || continue
    seconds=$(left)
    [ "$seconds" -gt 0 ] || seconds=1
    arguments=$(printf '%s' "$arguments" | sed "s|@WORK@|$work|g")
    # shellcheck disable=SC2086  # both are lists of words without blanks in them
    timeout "$seconds" $wrapper $mp_exec $arguments --device="$device" >>"$work/log" 2>&1
    code=$?
    [ "$code" -eq 0 ] || break
  done
  took=$(($(date +%s) - begin))
  case $code in
    0) status=passed message= ;;
    124) status=timeout message="stopped by the time limit" ;;
    *) status=failed message=$(tail -n 1 "$work/log") ;;
  esac
  [ "$kind" = benchmark ] && [ "$code" -eq 0 ] && value=$(median_rate "$work/steps")
  note "$name" "$kind" "$status" "$took" "$value" "$message"
}

report
failures=0
tab=$(printf '\t')
while IFS=$tab read -r name kind first second; do
  case $name in *"$only"*) ;; *) continue ;; esac
  if [ "$kind" = "left-out" ]; then
    note "$name" check "left out" 0 null "$first"
  elif [ "$(left)" -le 0 ]; then
    note "$name" "$kind" "not run" 0 null "the time limit was reached"
  elif [ "$kind" = sanitize ] && { ! command -v compute-sanitizer >/dev/null || [ "${device%%:*}" != cuda ]; }; then
    note "$name" "$kind" "not run" 0 null "compute-sanitizer is not installed, or there is no GPU to run it on"
  else
    run_case "$name" "$kind" "$first" "$second" </dev/null
  fi
  case $(tail -n 1 "$results" | cut -f 3) in failed | timeout) failures=$((failures + 1)) ;; esac
done <"$here/manifest.tsv"

echo
echo "$out/results.txt and $out/results.json: $failures failed"
[ "$failures" -eq 0 ]
