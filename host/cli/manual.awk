# The manual page, made of what `redhost --version' and `redhost --help all' print.

function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/`/, "\\(oq", text)
  gsub(/'/, "\\(cq", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/~/, "\\(ti", text)
  return text ~ /^\./ ? "\\&" text : text
}

# "-r, --run=NAME", its words bold and its argument slanted.
function option(words,   at, letter, argument, optional) {
  letter = words ~ /^-[^-]/ ? "\\fB\\-" substr(words, 2, 1) "\\fR, " : ""
  sub(/^-[^-], /, "", words)
  at = index(words, "=")
  if (!at) return letter "\\fB" roff(words) "\\fR"
  optional = substr(words, at - 1, 1) == "["
  argument = substr(words, at + 1)
  if (optional) sub(/\]$/, "", argument)
  return letter "\\fB" roff(substr(words, 1, at - 1 - optional)) "\\fR" (optional ? "[=\\fI" : "=\\fI") \
         roff(argument) "\\fR" (optional ? "]" : "")
}

function entry(heading, text) {
  print ".TP\n\\fB" heading "\\fR\n" roff(text)
}

# "NAME (what it says), NAME (...); options override them."
function environment(text,   name) {
  print ".SH ENVIRONMENT\nOptions override all of these."
  while (match(text, /[A-Z][A-Z_]+ \([^)]*\)/)) {
    name = substr(text, RSTART, index(substr(text, RSTART), " ") - 1)
    entry(name, substr(text, RSTART + length(name) + 2, RLENGTH - length(name) - 3))
    text = substr(text, RSTART + RLENGTH)
  }
}

# "0 done; 1 wrong result."
function statuses(text,   list, n, k) {
  print ".SH EXIT STATUS"
  sub(/\.$/, "", text)
  n = split(text, list, "; ")
  for (k = 1; k <= n; k++) entry(substr(list[k], 1, index(list[k], " ") - 1), substr(list[k], index(list[k], " ") + 1))
}

NR == 1 {
  print ".TH REDHOST 1 2026-11-20 \"" $1 " " $2 "\" \"User Commands\"\n" \
    ".SH NAME\nredhost \\- parallel reductions on OpenCL\n" \
    ".SH SYNOPSIS\n.B redhost\n[\\fIOPTION\\fR]...\n.br\n" \
    ".B redhost \\-\\-list\n.br\n" \
    ".B redhost \\-\\-run\n\\fINAME\\fR [\\fB\\-n\\fR \\fISIZE\\fR | \\fB\\-i\\fR \\fIFILE\\fR] [\\fIOPTION\\fR]...\n.br\n" \
    ".B redhost \\-\\-verify\n[\\fINAME\\fR | \\fIFILE.so\\fR]... [\\fIOPTION\\fR]...\n.br\n" \
    ".B redhost \\-\\-bench\n[\\fIOPTION\\fR]...\n.br\n" \
    ".B redhost \\-\\-tune\n[\\fIOPTION\\fR]...\n.br\n" \
    ".B redhost \\-\\-new\\-plugin\n\\fINAME\\fR [\\fIDIR\\fR]\n.br\n" \
    ".B redhost \\-\\-new\\-operator\n\\fINAME\\fR [\\fIDIR\\fR]\n" \
    ".SH DESCRIPTION\n" \
    "Reduces arrays on OpenCL devices and on the CPU, and checks each answer\nagainst an exact reference.\n" \
    "Each strategy is a plugin, a shared object.  redhost searches for plugins in\n" \
    "the file and the directories of\n.B \\-\\-plugin\nand\n.BR \\-\\-plugin\\-path ,\nin\n" \
    ".IR REDHOST_PLUGIN_PATH ,\nin\n.I \\(ti/.local/share/redhost/plugins\\-1\nand in its own plugin directory.\n" \
    "Operators in files named\n.I NAME.op.json\nare found there, too.\n" \
    ".SH OPTIONS"
}
/^(Environment|Exit status): / { last = $1 }
last { whole[last] = whole[last] (whole[last] ? " " : "") $0; next }
/^[A-Z].*:$/ { print ".SS " roff(substr($0, 1, length($0) - 1)) }
# What an option does stands beside it, from column 28 on, or below what is longer.
/^  (-., |    )--/ {
  beside = substr($0, 27, 1) == " " && substr($0, 28) !~ /^\[[A-Z]+\]$/
  words = beside ? substr($0, 3, 24) : substr($0, 3)
  sub(/^ +/, "", words)
  sub(/ +$/, "", words)
  print ".TP\n" option(words)
  if (beside) print roff(substr($0, 28))
}
/^ +[^ ]/ && substr($0, 1, 27) ~ /^ +$/ { print roff(substr($0, 28)) }
END {
  sub(/^Environment: /, "", whole["Environment:"])
  sub(/^Exit status: /, "", whole["Exit"])
  environment(whole["Environment:"])
  statuses(whole["Exit"])
  print ".SH EXAMPLES\n.nf\nredhost \\-\\-list\nredhost \\-\\-run auto \\-n 2\\(ha24\n" \
    "redhost \\-\\-run cascade \\-\\-input x.npy \\-\\-op max \\-q\nredhost \\-\\-new\\-plugin mine\n.fi"
}
