#!/usr/bin/env bash
# install.sh OLD.deb NEW.deb [ROOT]: the life of a site on a bare Debian 12 without network: install, first start, user,
# upload, analysis, viewer, PDF, backup, upgrade, recomputation by the engine before, rehearsal, restore, removal. As root, from
# a tree with packages. ROOT is a folder that debootstrap made (it is copied); without one it is fetched from $DEBIAN_MIRROR.
# Takes about five minutes. In the suite's long form (deno task test:long install). By itself:
#   deno task release --out /tmp/new && deno run -A tools/release/make.ts --out /tmp/old --package-version 0.0.9
#   tests/release/install.sh /tmp/old/sulcus_0.0.9_amd64.deb /tmp/new/sulcus_*_amd64.deb
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2") here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d /tmp/sulcus-install-XXXXXX) root=${3:-}
trap 'rm -rf --one-file-system "$work"' EXIT
if [ -z "$root" ]; then
  debootstrap --variant=minbase bookworm "$work/fetched" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >/dev/null
  root=$work/fetched
fi
cp -a "$root" "$work/root"
cp "$old" "$work/root/root/old.deb"
cp "$new" "$work/root/root/new.deb"
export work here
# no network but this machine's own, and no process outlives it
unshare --net --mount --pid --fork --kill-child bash -euo pipefail <<'INSIDE'
ip link set lo up 2>/dev/null || python3 -c 'import fcntl,socket,struct; s=socket.socket(); fcntl.ioctl(s,0x8914,struct.pack("16sh",b"lo",0x49))'
root=$work/root
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
step() { printf '== %s (at %s s)\n' "$1" "$SECONDS"; }
visit() { (cd "$here" && deno run -A --no-check --cached-only --config deno.json tests/release/visit.ts http://127.0.0.1:8000 ward@hospital.test "$(cat "$root/root/password")" "$@"); }
start() {
  rm -f "$work/site.log"
  in_root sulcus start > "$work/site.log" 2>&1 &
  for _ in $(seq 600); do grep -qs 'Sulcus serves' "$work/site.log" && return; sleep 0.1; done
  cat "$work/site.log"; return 1
}
stop() { in_root sh -c 'for p in /proc/[0-9]*; do tr "\0" " " < $p/cmdline 2>/dev/null | grep -q "main[.]ts start" && kill -TERM ${p#/proc/}; done; true'; wait %1 2>/dev/null || true; }

step "no network"
if timeout 5 bash -c 'exec 3<>/dev/tcp/deb.debian.org/80' 2>/dev/null; then echo "there is a network"; exit 1; fi
step "install"
in_root dpkg -i /root/old.deb
test "$(stat -c %U:%a "$root/var/lib/sulcus" | sed "s/^[0-9]*/&/")" != root:700
step "first start"
start
grep -q 'The administrator account has been created' "$work/site.log"
step "user"
echo correct-horse-7 > "$root/root/password"
in_root sh -c 'install -o sulcus -m 600 /root/password /tmp/password && sulcus user add ward@hospital.test --password-file /tmp/password && rm /tmp/password'
in_root sulcus doctor
step "a key that root alone can read is found before the service fails on it; the command's key is the service's"
in_root sh -c 'umask 077; openssl rand -hex 32 > /etc/sulcus/storage.key 2>/dev/null || head -c 32 /dev/urandom | od -An -tx1 | tr -d " \n" > /etc/sulcus/storage.key'
if in_root env SULCUS_STORAGE_KEY_FILE=/etc/sulcus/storage.key sulcus doctor > "$work/doctor"; then cat "$work/doctor"; exit 1; fi
grep -q 'chown sulcus /etc/sulcus/storage.key' "$work/doctor"
in_root rm /etc/sulcus/storage.key
in_root sulcus key /etc/sulcus/keys/backup.key
test "$(in_root stat -c %U:%a /etc/sulcus/keys/backup.key)" = sulcus:400
step "upload, analysis, viewer, PDF"
visit INSTALLED-1 analyse
step "backup"
in_root install -d -o sulcus -m 700 /srv/backup
in_root sulcus backup /srv/backup
in_root sulcus verify /srv/backup
in_root sulcus audit verify
step "upgrade"
stop
in_root dpkg -i /root/new.deb
start
visit INSTALLED-1
before=$(basename "$(ls -d "$root"/usr/lib/sulcus-versions/*)")
in_root runuser -u sulcus -- /usr/lib/sulcus-versions/"$before"/sulcus --version
in_root sulcus verify
step "results of the version before: recomputed by its engine, rehearsed with the new one"
in_root sulcus recompute 1
in_root sulcus rehearse /usr/lib/sulcus 1
step "restore"
stop
mv "$root/var/lib/sulcus" "$root/var/lib/sulcus.before"
in_root install -d -o sulcus -g sulcus -m 700 /var/lib/sulcus
in_root sulcus restore /srv/backup
start
visit INSTALLED-1
stop
step "the version before, on the restored data"
in_root runuser -u sulcus -- /usr/lib/sulcus-versions/"$before"/sulcus verify
step "removal"
in_root dpkg -r sulcus
test ! -e "$root/usr/lib/sulcus" && test ! -e "$root/usr/lib/sulcus-versions" && test -f "$root/var/lib/sulcus/core.sqlite"
ls "$root/usr/lib/sulcus-engines"
in_root dpkg -P sulcus
# a purge removes settings, and no key that closed files need
test -f "$root/etc/sulcus/keys/backup.key" && test ! -e "$root/etc/sulcus/sulcus.env"
rm -r "$root/etc/sulcus/keys" && rmdir "$root/etc/sulcus"
test ! -e "$root/etc/sulcus" && test ! -e "$root/usr/lib/sulcus-engines" && test -f "$root/var/lib/sulcus/core.sqlite"
step "done: every step"
INSIDE
