#!/usr/bin/env bash
# reuse_objects.sh COMPILER ARGUMENT...: compiles as the arguments say. But if the build $TORSOR_BUILD
# compiled the same source of $TORSOR_SOURCE by the same command, the source in the copy $TORSOR_COPY is only
# preprocessed, and the object of that build is copied. Two commands are the same if they differ only in the
# paths of the trees and in -Werror. $TORSOR_LAUNCHER runs the compiler.
set -euo pipefail
command=(${TORSOR_LAUNCHER:+"$TORSOR_LAUNCHER"} "$@")
part=_deps/torsor-build  # where the subproject is built

object='' arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    -o) object=$2; shift ;;
    -MT | -MF) shift ;;
    -MD) ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
source=${arguments[-1]} name=${object#"$part"/}
other=$(grep -F -- " -o $name -c " "$TORSOR_BUILD/compile_commands.json") || exec "${command[@]}"

# here TEXT, there TEXT: the text with @build and @ in place of the paths of this build and the other one.
here() { local text=${1//"$PWD/$part"/@build}; printf '%s' "${text//"$TORSOR_COPY"/@}"; }
there() { local text=${1//"$TORSOR_BUILD"/@build}; printf '%s' "${text//"$TORSOR_SOURCE"/@}"; }

other=${other#*"${arguments[0]} "} other=${other%\",} other=${other/" -o $name"/} other=${other/" -Werror"/}
[ "$(here "${arguments[*]:1}")" = "$(there "$other")" ] || exec "${command[@]}"
if [[ $name == */Unity/* ]]; then  # the list of sources of a group
  [ "$(here "$(<"$source")")" = "$(there "$(<"${source/"$PWD/$part"/"$TORSOR_BUILD"}")")" ] || exec "${command[@]}"
fi
"${arguments[@]}" -E >/dev/null
cp -- "$TORSOR_BUILD/$name" "$object"
