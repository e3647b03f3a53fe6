#!/usr/bin/env bash
# unit.sh PACKAGE.deb: the package under a real systemd, booted in a container (systemd-nspawn) on this machine's own /usr,
# without network: installed, started by its unit with all its hardening, killed and started again, stopped, removed. As
# root, with systemd-container. Takes about a minute. In the suite's long form (deno task test:long unit); the suite itself looks
# at the unit's file alone (release_test.ts). By itself:
#   deno task release --out /tmp/new && tests/release/unit.sh /tmp/new/sulcus_*_amd64.deb
set -euo pipefail
deb=$(realpath "$1") here=$(cd "$(dirname "$0")/../.." && pwd) work=$(mktemp -d /tmp/sulcus-unit-XXXXXX)
root=$work/root
mkdir -p "$root"/{usr,etc/systemd/system,var/lib/dpkg/{info,updates},var/log,root,run,tmp,proc,sys,dev} "$work/usr"
for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
cp -aL /etc/{passwd,group,shadow,nsswitch.conf,ld.so.cache,os-release,login.defs} "$root/etc/"
touch "$root/etc/machine-id" "$root"/var/lib/dpkg/{status,available}
cp "$deb" "$root/root/new.deb"
step() { printf '== %s (at %s s)\n' "$1" "$SECONDS"; }

step "boot"
systemd-nspawn -q -D "$root" --overlay="/usr:$work/usr:/usr" --private-network --register=no --keep-unit --boot \
  --console=pipe -- systemd.unit=multi-user.target systemd.default_timeout_stop_sec=40s > "$work/console" 2>&1 &
nspawn=$!
init=
end() {
  [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true
  wait "$nspawn" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap end EXIT
for _ in $(seq 100); do init=$(pgrep -P "$nspawn" -x systemd) && break; sleep 0.1; done
inside() { nsenter -t "$init" -m -p -i -u -n -C /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
until_true() { for _ in $(seq 600); do "$@" && return; sleep 0.1; done; echo "In vain: $*"; inside journalctl -u sulcus --no-pager | tail -40; return 1; }
is_booted() { inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; }
main_pid() { inside systemctl show -p MainPID --value sulcus; }
serves() { inside curl -fs -o /dev/null http://127.0.0.1:8000/ready 2>/dev/null; }
is_new() { [ "$(main_pid)" != "$1" ] && [ "$(main_pid)" != 0 ] && serves; }
until_true is_booted

step "install: dpkg makes the user, enables the unit and starts it"
inside dpkg -i --force-depends /root/new.deb
until_true serves
inside systemctl is-enabled sulcus
inside systemctl is-active sulcus

step "as whom and with what"
first=$(main_pid)
inside ps -o user=,cmd= -p "$first" | cut -c1-60
inside ps -o user= -p "$first" | grep -qx sulcus
inside grep -E '^(NoNewPrivs|CapEff|Seccomp):' "/proc/$first/status"
inside grep -q '^NoNewPrivs:.*1' "/proc/$first/status"
inside grep -q '^CapEff:.*0000000000000000' "/proc/$first/status"
inside stat -c '%U %a %n' /var/lib/sulcus /var/cache/sulcus /var/log/sulcus
exposure=$(inside systemd-analyze security --no-pager sulcus | tail -1)
echo "$exposure"
level=$(grep -oE '[0-9]+\.[0-9]+' <<<"$exposure")
awk -v level="$level" 'BEGIN { exit !(level != "" && level <= 2.0) }' || { echo "the exposure is above 2.0"; exit 1; }
inside journalctl -u sulcus --no-pager | grep -q 'Sulcus serves'
inside stat -c '%U %a' /var/lib/sulcus/first-password | grep -qx 'sulcus 600'
if inside journalctl -u sulcus --no-pager | grep -qF "$(inside cat /var/lib/sulcus/first-password)"; then
  echo "the journal has the first password"; exit 1
fi

step "killed: systemd starts it again"
inside kill -KILL "$first"
until_true is_new "$first"

step "doctor"
inside sulcus doctor || true

step "low ports and a backup folder elsewhere, by the drop-ins of the package"
inside install -d -o sulcus -g sulcus -m 700 /srv/sulcus-backup
inside sh -c 'printf "SULCUS_PORT=443\nSULCUS_DICOM_PORT=104\nSULCUS_BACKUP_DIR=/srv/sulcus-backup\n" >> /etc/sulcus/sulcus.env && sed -i "/^SULCUS_PORT=8000/d" /etc/sulcus/sulcus.env'
if inside sulcus doctor > "$work/doctor"; then cat "$work/doctor"; echo "the doctor misses them"; exit 1; fi
grep -q 'the systemd unit cannot write to /srv/sulcus-backup' "$work/doctor"
grep -q 'is not allowed to use .*:104' "$work/doctor"
inside install -D -m 644 /usr/lib/sulcus/systemd/low-ports.conf /usr/lib/sulcus/systemd/folders.conf -t /etc/systemd/system/sulcus.service.d
inside sed -i 's/^#ReadWritePaths/ReadWritePaths/' /etc/systemd/system/sulcus.service.d/folders.conf
inside systemctl daemon-reload
inside systemctl restart sulcus
serves_low() { inside curl -fs -o /dev/null http://127.0.0.1:443/ready 2>/dev/null; }
until_true serves_low
inside sh -c 'exec 3<>/dev/tcp/127.0.0.1/104' 2>/dev/null || inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/104'
inside sulcus doctor > "$work/doctor" || true
if grep -E 'may not (write|be used)' "$work/doctor"; then exit 1; fi
inside nsenter -t "$(main_pid)" -m -- setpriv --reuid=sulcus --regid=sulcus --init-groups -- test -w /srv/sulcus-backup
inside rm -r /etc/systemd/system/sulcus.service.d
inside sh -c 'sed -i "/443\|104\|BACKUP/d" /etc/sulcus/sulcus.env && echo SULCUS_PORT=8000 >> /etc/sulcus/sulcus.env'
inside systemctl daemon-reload
inside systemctl restart sulcus
until_true serves

step "the worker's unit is one that systemd takes"
inside systemd-analyze verify sulcus-worker.service
for unit in sulcus sulcus-worker; do inside systemctl show -p RequiresMountsFor --value $unit | grep -q /var/lib/sulcus/exports; done

step "stop, start"
SECONDS=0
inside systemctl stop sulcus
echo "stopped after $SECONDS s"
inside systemctl start sulcus
until_true serves

step "memory for arriving files, by the line of docs/site/encryption.md: each start mounts it, also after a restore unmounted it"
incoming=/var/lib/sulcus/blobs/incoming
grep '^tmpfs ' "$here/docs/site/encryption.md" >> "$root/etc/fstab"
inside systemctl daemon-reload
for _ in first restored; do
  inside systemctl stop sulcus
  ! inside mountpoint -q $incoming || inside umount $incoming
  inside systemctl start sulcus
  until_true serves
  inside mountpoint -q $incoming
done
inside systemctl stop sulcus
inside umount $incoming
sed -i '/^tmpfs /d' "$root/etc/fstab"
inside systemctl daemon-reload
inside systemctl start sulcus
until_true serves

step "stopped while it starts: no failure"
inside systemctl restart sulcus
inside systemctl stop sulcus
inside systemctl show -p Result --value sulcus | grep -qx success

step "an upgrade starts again what ran, though it is disabled, and nothing that was stopped and disabled"
inside systemctl disable --now sulcus
inside dpkg -i --force-depends /root/new.deb
if inside systemctl is-active sulcus; then echo "a site that was switched off was started"; exit 1; fi
inside systemctl start sulcus
until_true serves
inside dpkg -i --force-depends /root/new.deb
until_true serves
if inside systemctl is-enabled sulcus; then echo "an upgrade enabled it"; exit 1; fi
inside systemctl enable sulcus

step "removal, and the same package again: the site runs as before"
inside dpkg -r sulcus
! inside systemctl is-active sulcus
inside test -e /var/lib/sulcus/core.sqlite
inside dpkg -i --force-depends /root/new.deb
until_true serves
inside systemctl is-enabled sulcus

step "removal with its settings: no link of its units is left"
inside dpkg -P sulcus
if inside find /etc/systemd/system -name 'sulcus*' | grep .; then exit 1; fi
step "done: every step"
