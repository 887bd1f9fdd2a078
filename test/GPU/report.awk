# What results.tsv comes to: our times beside those of peers, the optimizer beside a copy, and how many cases ended how.
# Fields: name, kind, status, seconds, value, message, and of a peer our value in the same process.
BEGIN { FS = "\t" }

$2 == "time" && $3 == "passed" {
  ours[$1] = $5
  if (match($6, /[0-9.e+]+ GB\/s/)) rate[$1] = substr($6, RSTART, RLENGTH - 5)
  if ($1 ~ /^time-optimizer-/) optimizers[++steps] = $1
  # What memory gives is the rate of the largest copy.
  if ($1 ~ /^time-copy-/ && substr($1, 11) + 0 > edge) { edge = substr($1, 11) + 0; copy = rate[$1] }
}

$2 == "peer" && $3 == "passed" {
  time = $7 == "null" ? ours[$1] : $7 # in turn with the peer, or by itself
  if (time <= 0) next
  if (!peers++) printf "%-44s %12s %12s  %s\n", "times faster than the peer", "ours us", "peer us", "ratio  peer"
  printf "%-44s %12s %12s  %5.2f  %s\n", $1, time, $5, $5 / time, $6
}

{ count[$3]++ }

END {
  if (peers) print ""
  for (i = 1; i <= steps && copy > 0; ++i) {
    if (i == 1) printf "%-44s %12s %12s  %s\n", "bytes beside those of a copy, " edge " x " edge, "GB/s", "copy GB/s", "ratio"
    printf "%-44s %12s %12s  %5.2f\n", optimizers[i], rate[optimizers[i]], copy, rate[optimizers[i]] / copy
  }
  if (steps && copy > 0) print ""
  for (status in count) printf "%s %d  ", status, count[status]
  print ""
}
