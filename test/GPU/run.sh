#!/bin/sh
# usage: run.sh [--time-limit=SECONDS] [--device=NAME] [--only=TEXT] [--kinds=LIST] [--out=FOLDER] [--python=PROGRAM]
#
# Runs the cases of this bundle on a GPU: correctness against results of device cpu that are stored here, the code for
# each chip that the GPU runs by itself; a part of it under compute-sanitizer where that is installed; then benchmarks,
# beside PyTorch where that is installed. Needs the NVIDIA driver, a shell and tar, nothing else. Writes FOLDER/results.json
# and FOLDER/results.txt (default: results/) after every case, so that a run that is cut off leaves what it had. Fails if
# a case did, or if none ran.
#
#   --time-limit=SECONDS  stops after that time; cases that were not reached are in the results as "not run"
#   --device=NAME         cuda, cuda:1, or cpu to try the bundle without a GPU (default cuda)
#   --only=TEXT           only cases with TEXT in their name
#   --kinds=LIST          only these, of check,train,sanitize,benchmark,time,peer: peer alone has our times, too, beside PyTorch's
#   --python=PROGRAM      the Python that has PyTorch (default python3)
set -u

here=$(cd "$(dirname "$0")" && pwd)
device=cuda
limit=0
only=
kinds=check,train,sanitize,benchmark,time,peer
out=$here/results
python=python3
for argument; do
  case $argument in
    --time-limit=*[!0-9]* | --time-limit=) echo "run.sh: --time-limit takes seconds" >&2; exit 2 ;;
    --time-limit=*) limit=${argument#*=} ;;
    --device=*) device=${argument#*=} ;;
    --only=*) only=${argument#*=} ;;
    --kinds=) echo "run.sh: --kinds takes some of check, train, sanitize, benchmark, time and peer, with commas between" >&2; exit 2 ;;
    --kinds=*)
      kinds=${argument#*=}
      for kind in $(printf '%s' "$kinds" | tr , ' '); do
        case $kind in
          check | train | sanitize | benchmark | time | peer) ;;
          *) echo "run.sh: unknown kind '$kind': there are check, train, sanitize, benchmark, time and peer" >&2; exit 2 ;;
        esac
      done ;;
    --out=*) out=${argument#*=} ;;
    --python=*) python=${argument#*=} ;;
    --help | -h) sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "run.sh: unknown argument '$argument'" >&2; exit 2 ;;
  esac
done
[ -f "$here/manifest.tsv" ] || { echo "run.sh: $here has no manifest.tsv: make gpu-bundle packs what this runs, with a run.sh of its own" >&2; exit 2; }
mkdir -p "$out/work" || exit 2
out=$(cd "$out" && pwd)
rm -rf "$out/work/cases"
cd "$here" || exit 2

# The libraries that travel along come before the system's, for mp-exec and xz alone. Where the system's C library is
# older than ours, ours is used with its own loader.
libraries=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
mp_exec="env LD_LIBRARY_PATH=$libraries $here/bin/mp-exec" unxz="env LD_LIBRARY_PATH=$libraries $here/bin/xz -dc"
loader="$here/glibc/ld-linux-x86-64.so.2 --library-path $here/glibc:$libraries"
$mp_exec --help >/dev/null 2>&1 || mp_exec="$loader $here/bin/mp-exec"
$unxz --version >/dev/null 2>&1 || unxz="$loader $here/bin/xz -dc"

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

# The chip that the device runs code for, sm_90a, or all of simulated ones; none on a CPU, which runs a case once.
chip_of_device() {
  case $device in
    simt) echo any ;;
    cuda*) name=$device; [ "$device" = cuda ] && name=cuda:0
      $mp_exec devices 2>/dev/null | awk -v name="$name:" '$1 == name { is_it = 1; next } is_it && /^ *features/ { print $2; exit }' ;;
  esac
}
chip_here=$(chip_of_device)

# kind: whether it is asked for.
wants() { case ,$kinds, in *,"$1",*) ;; *) return 1 ;; esac; }

# chip: whether the device runs code for it.
runs_chip() {
  [ "$chip_here" != any ] || return 0
  case $1 in
    *[a-z]) [ "$1" = "$chip_here" ] ;;
    *) number=${chip_here#sm_}; [ -n "$number" ] && [ "${1#sm_}" -le "${number%[a-z]}" ] ;;
  esac
}

cases=$out/work/cases
results=$out/work/results.tsv
: >"$results"
machine >"$out/work/machine"

tab=$(printf '\t')

# Both files are put together from a head, and a line for each result that is written once.
{
  printf '{"machine": ['
  separator=
  while IFS= read -r line; do printf '%s\n  ' "$separator"; quote "$line"; separator=,; done <"$out/work/machine"
  printf '],\n "results": ['
} >"$out/work/head.json"
: >"$out/work/results.json"
: >"$out/work/results.txt"

report() {
  { cat "$out/work/head.json" "$out/work/results.json"; printf ']}\n'; } >"$out/results.json.new" &&
    mv "$out/results.json.new" "$out/results.json"
  {
    cat "$out/work/machine"
    echo
    cat "$out/work/results.txt"
    echo
    awk -f "$here/report.awk" "$results"
  } >"$out/results.txt.new" && mv "$out/results.txt.new" "$out/results.txt"
}

# name kind status seconds value message, and of a peer our value in the same process
note() {
  message=$(printf '%s' "$6" | tr '\t\r\n' '   ' | cut -c1-400) ours=${7:-null}
  case $2 in benchmark) unit=rows/s ;; time | peer) unit=us ;; *) unit= ;; esac
  [ -s "$results" ] && separator=, || separator=
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "$message" "$ours" >>"$results"
  [ "$2" = peer ] && beside="\"ours\": $ours, " || beside=
  printf '%s\n  {"name": "%s", "kind": "%s", "status": "%s", "seconds": %s, "value": %s, "unit": "%s", %s"message": %s}' \
    "$separator" "$1" "$2" "$3" "$4" "$5" "$unit" "$beside" "$(quote "$message")" >>"$out/work/results.json"
  [ "$5" = null ] && unit= || unit="$5 $unit"
  printf '%-44s %-10s %-8s %5s s  %s  %s\n' "$1" "$2" "$3" "$4" "$unit" "$message" >>"$out/work/results.txt"
  printf '%-44s %-10s %s %s\n' "$1" "$2" "$3" "$message" | cut -c1-200
  report
}

# The middle of the rows per second of a log, without its first steps.
median_rate() {
  sed -n 's/.*"samples_per_second":\([0-9.e+]*\).*/\1/p' "$1" | tail -n +11 | sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "null" }'
}

# The files of the case that the arguments name, where nothing else is.
unpack() {
  archive=$(printf '%s' "$1" | sed -n 's|.*cases/\([^ ]*\)\.mpx.*|\1|p')
  [ -f "$cases/$archive.mpx" ] && return
  rm -rf "$cases" && mkdir -p "$cases" && $unxz "$here/cases/$archive.tar.xz" | tar -xf - -C "$cases"
  [ -f "$cases/$archive.mpx" ] || { echo "cannot unpack cases/$archive.tar.xz"; return 1; }
}

# Runs one line of the manifest: name, perhaps with the chip whose code runs; kind; arguments; where the kind is train, a
# second command that checks what the first one left, and what the first one says.
run_case() {
  name=$1 kind=$2 first=$3 second=$4 says=$5
  work=$out/work/$name
  chip=
  case $name in *@*) [ -n "$chip_here" ] && chip=--chip=${name#*@} ;; esac
  wrapper=
  [ "$kind" = sanitize ] && wrapper="compute-sanitizer --target-processes all --error-exitcode 9 --log-file $work/sanitizer"
  rm -rf "$work" && mkdir -p "$work"
  begin=$(date +%s)
  value=null
  unpack "$first" >"$work/log" 2>&1
  code=$?
  for arguments in "$first" "$second"; do
    [ "$code" -eq 0 ] && [ -n "$arguments" ] || continue
    seconds=$(left)
    [ "$seconds" -gt 0 ] || seconds=1
    arguments=$(printf '%s' "$arguments" | sed "s|@WORK@|$work|g; s|cases/|$cases/|g")
    # shellcheck disable=SC2086  # both are lists of words without blanks in them
    timeout "$seconds" $wrapper $mp_exec $arguments --device="$device" $chip >>"$work/log" 2>&1
    code=$?
  done
  if [ "$code" -eq 0 ] && [ -n "$says" ] && ! grep -qF "$says" "$work/log"; then
    printf '\nexpected: %s; found: %s\n' "$says" "$(grep steps, "$work/log" | head -n 1)" >>"$work/log"
    code=1
  fi
  took=$(($(date +%s) - begin))
  case $code in
    0) status=passed message= ;;
    124) status=timeout message="stopped by the time limit" ;;
    *) status=failed message=$(tail -n 1 "$work/log") ;;
  esac
  case $kind-$code in
    benchmark-0) value=$(median_rate "$work/steps") ;;
    time-0)
      value=$(sed 's/.*"median_seconds": \([0-9.e+-]*\).*/\1/' "$work/time" | awk '{ printf "%.3f", 1e6 * $1 }')
      message=$(sed 's/.*: //' "$work/log" | tail -n 1) ;;
  esac
  note "$name" "$kind" "$status" "$took" "$value" "$message"
}

report
failures=0
peers=$out/work/peers.tsv
: >"$peers"
former=
while IFS=$tab read -r name kind first second says; do
  case $name in *"$only"*) ;; *) continue ;; esac
  case $name in
    *@*) # A CPU runs a case once.
      [ -z "$chip_here" ] && [ "${name%@*}" = "$former" ] && continue
      former=${name%@*} ;;
  esac
  [ "$kind" = left-out ] || wants "${kind#gpu-}" || continue
  if [ "$kind" = peer ]; then
    ! wants time || grep -q "^$name${tab}time${tab}passed" "$results" || continue
    printf '%s\t%s\n' "$name" "$first" >>"$peers"
    continue
  fi
  takes_gpu=
  [ "$kind" = gpu-time ] && kind=time && takes_gpu=yes
  if [ "$kind" = "left-out" ]; then
    note "$name" check "left out" 0 null "$first"
  elif [ "$(left)" -le 0 ]; then
    note "$name" "$kind" "not run" 0 null "the time limit was reached"
  elif [ "$kind" = sanitize ] && { ! command -v compute-sanitizer >/dev/null || [ "${device%%:*}" != cuda ]; }; then
    note "$name" "$kind" "not run" 0 null "compute-sanitizer is not installed, or there is no GPU to run it on"
  elif [ -n "$takes_gpu" ] && [ "${device%%:*}" != cuda ]; then
    note "$name" "$kind" "not run" 0 null "takes a GPU"
  elif [ "$device" = simt ] && [ "${name#runtime-}" != "$name" ]; then
    note "$name" "$kind" "not run" 0 null "has no simulated code: its kernels are C"
  elif [ -n "$chip_here" ] && [ "$name" != "${name#*@}" ] && ! runs_chip "${name#*@}"; then
    note "$name" "$kind" "not run" 0 null "the GPU runs no code for ${name#*@}"
  else
    run_case "$name" "$kind" "$first" "$second" "$says" </dev/null
  fi
  case $(tail -n 1 "$results" | cut -f 3) in failed | timeout) failures=$((failures + 1)) ;; esac
done <"$here/manifest.tsv"

# The same work by PyTorch, in one process with ours, a line when it is done. What it cannot do is no failure of ours, a
# result that is not PyTorch's is one.
if [ ! -s "$peers" ]; then
  :
elif [ "$(left)" -le 0 ]; then
  note peers peer "not run" 0 null "the time limit was reached"
elif ! "$python" -c 'import torch' >/dev/null 2>&1; then
  note peers peer "not run" 0 null "PyTorch is not installed for $python"
else
  timeout "$(left)" "$python" "$here/peer.py" --device="$device" <"$peers" 2>"$out/work/peers.log" |
    while IFS=$tab read -r name status value message ours; do
      note "$name" peer "$status" 0 "$value" "$message" "$ours"
    done
  failures=$((failures + $(grep -c "${tab}peer${tab}failed${tab}.*wrong result" "$results")))
fi

ran=$(cut -f 3 "$results" | grep -c -x -e passed -e failed -e timeout)
echo
echo "$out/results.txt and $out/results.json: $failures failed"
[ "$ran" -gt 0 ] || echo "run.sh: nothing ran; the bundle's works and their kinds are in $here/manifest.tsv, and what was not run is said above" >&2
[ "$failures" -eq 0 ] && [ "$ran" -gt 0 ]
