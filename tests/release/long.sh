#!/usr/bin/env bash
# long.sh [install|first_day|unit|image|faults|mutations ...]: the suite's long form (deno task test:long): what is installed, as a hospital
# installs it. Makes the release and one before it, then: its whole life on a bare Debian 12 without network (install.sh), the
# commands of docs/site as a hospital types them on its first day, with nginx, Orthanc and an OpenID provider (first_day.sh), the package
# under a real systemd with an exposure of 2.0 at most (unit.sh), its image without any right (image.sh), and ten minutes
# of faults with a hundred kills (deno task endurance faults), and proof that tests fail without the controls that they are
# of (tests/mutations, written to docs/dossier/proofs.json); all six, or those that are named. As root, an hour.
# What this machine cannot do is skipped and named, as in the suite. DEBIAN_ROOT: folder that debootstrap made; without it
# install.sh and first_day.sh fetch one from DEBIAN_MIRROR.
set -uo pipefail
cd "$(dirname "$0")/../.."
steps=("$@") here=tests/release
[ ${#steps[@]} -gt 0 ] || steps=(install first_day unit image faults mutations)
out=$(mktemp -d /tmp/sulcus-long-XXXXXX)
trap 'rm -rf "$out"' EXIT
passed=0 failed=0 skipped=0

missing() {
  [ "$(id -u)" = 0 ] || { echo "it takes root"; return; }
  for program in "$@"; do command -v "$program" >/dev/null || { echo "no $program"; return; }; done
}
run() {
  local name=$1 programs=$2 why
  shift 2
  # shellcheck disable=SC2086 # several words
  why=$(missing $programs)
  if [ -n "$why" ]; then
    echo "== $name: skipped: $why"
    skipped=$((skipped + 1))
  elif "$@"; then
    passed=$((passed + 1))
  else
    echo "== $name: FAILED"
    failed=$((failed + 1))
  fi
}
# signed by a key of this run, as the maker signs; with an image for the step that runs it alone
release() {
  [ -f "$out/key.pem" ] || openssl genpkey -algorithm ed25519 -out "$out/key.pem"
  deno run -A tools/release/make.ts --out "$out/$1" --key "$out/key.pem" "${@:2}" && openssl pkey -in "$out/key.pem" -pubout -out "$out/$1/sulcus.pub.pem"
}

deno install --quiet --frozen && deno run -A tools/build.ts --if-changed || exit 1
no_image=--no-image
[[ " ${steps[*]} " != *" image "* ]] || no_image=
# shellcheck disable=SC2086 # no word or one
[ "${steps[*]}" = mutations ] || release new $no_image || exit 1
for step in "${steps[@]}"; do
  case $step in
    install)
      [ -d "$out/old" ] || release old --no-image --package-version 0.0.9 || exit 1
      run install "unshare chroot $([ -n "${DEBIAN_ROOT:-}" ] || echo debootstrap)" \
        $here/install.sh "$out"/old/sulcus_*_amd64.deb "$out"/new/sulcus_*_amd64.deb ${DEBIAN_ROOT:+"$DEBIAN_ROOT"}
      ;;
    first_day)
      [ -d "$out/old" ] || release old --no-image --package-version 0.0.9 || exit 1
      run first_day "systemd-nspawn nsenter openssl chromium $([ -n "${DEBIAN_ROOT:-}" ] || echo debootstrap)" \
        $here/first_day.sh "$out/old" "$out/new" ${DEBIAN_ROOT:+"$DEBIAN_ROOT"}
      ;;
    unit) run unit "systemd-nspawn systemd-analyze nsenter" $here/unit.sh "$out"/new/sulcus_*_amd64.deb ;;
    image) run image "crun setpriv" $here/image.sh "$out"/new/*.oci.tar ;;
    faults) run faults mount deno task endurance faults --seconds 600 --kills 100 ;;
    mutations) run mutations git deno run -A --config=deno.json tests/mutations/run.ts --write ;;
    *) echo "long.sh [install|first_day|unit|image|faults|mutations ...]"; exit 2 ;;
  esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
