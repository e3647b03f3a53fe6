#!/usr/bin/env bash
# first_day.sh OLD.deb NEW.deb: a hospital's first day by the documents. Takes the commands out of docs/site (install, HTTPS by
# nginx, encryption, DICOM port, accounts, backup, restore, rehearsal, upgrade, rollback) and runs them as they are written, under a
# real systemd booted in a container (systemd-nspawn) on this machine's own /usr, with nothing configured and without network.
# Between them it does what a person does: makes a certificate, waits until the site answers, uploads a study, and looks for what
# the pages say one should see. As root, with systemd-container, nginx and openssl; about five minutes. In the suite's long form
# (deno task test:long first_day). Not run: apt-get (no network), OpenID and LDAP (no provider), other systems' side of DICOM.
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2") here=$(cd "$(dirname "$0")/../.." && pwd) work=$(mktemp -d /tmp/sulcus-day-XXXXXX)
root=$work/root name=sulcus.hospital.test email=ward@hospital.test
mkdir -p "$root"/{usr,etc/systemd/system,etc/dpkg/dpkg.cfg.d,var/lib/dpkg/{info,updates},var/lib/nginx,var/log/nginx,var/backups,srv,root,run,tmp,proc,sys,dev} "$work/usr"
for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
cp -aL /etc/{passwd,group,shadow,nsswitch.conf,ld.so.cache,os-release,login.defs,ssl} "$root/etc/"
cp -a /etc/nginx "$root/etc/"
touch "$root/etc/machine-id" "$root"/var/lib/dpkg/{status,available}
echo "127.0.0.1 localhost $name" > "$root/etc/hosts"
# the packages that ours depends on are here and dpkg does not know them
echo force-depends > "$root/etc/dpkg/dpkg.cfg.d/bare"
cp "$old" "$root/root/sulcus_OLD_amd64.deb"
cp "$new" "$root/root/sulcus_NEW_amd64.deb"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name" -addext "subjectAltName=DNS:$name" \
  -keyout "$root/root/key.pem" -out "$root/root/cert.pem" 2>/dev/null
step() { printf '== %s (at %s s)\n' "$1" "$SECONDS"; }

systemd-nspawn -q -D "$root" --overlay="/usr:$work/usr:/usr" --private-network --register=no --keep-unit --boot \
  --console=pipe -- systemd.unit=multi-user.target systemd.default_timeout_stop_sec=40s > "$work/console" 2>&1 &
nspawn=$! init=
end() {
  [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true
  wait "$nspawn" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap end EXIT
for _ in $(seq 100); do init=$(ps --ppid "$nspawn" -o pid= | tr -d ' ') && [ -n "$init" ] && break; sleep 0.1; done
inside() { nsenter -t "$init" -m -p -i -u -n -C /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root SYSTEMD_PAGER= CURL_CA_BUNDLE=/root/cert.pem "$@"; }
until_true() { for _ in $(seq 900); do "$@" && return; sleep 0.1; done; echo "In vain: $*"; inside journalctl -u sulcus --no-pager | tail -30; return 1; }
is_booted() { inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; }
cat > "$root/root/answers" <<'WAIT'
# masked: it must not start now
systemctl is-enabled sulcus 2>/dev/null | grep -q masked && exit
for _ in $(seq 900); do curl -fs -o /dev/null http://127.0.0.1:8000/ready && exit; sleep 0.1; done
echo "the site does not answer"; exit 1
WAIT
# commands PAGE HEADING: those below a heading of a page of docs/site, with the hospital's values, without apt-get, and with a wait
# after each start of the site, as a person waits for the page
commands() {
  awk -v heading="$2" '/^##? /{here = $0 == "# " heading || $0 == "## " heading} here && /^ *```sh$/{code = 1; next} /^ *```$/{if (code) exit} code{sub(/^   /, ""); print}' "$here/docs/site/$1.md" |
    sed -E "s/YOUR\.NAME/$name/g; s/\bEMAIL\b/$email/g; s/\"NAME\"/\"Ward\"/; s/^apt-get install nginx$/systemctl start nginx/
      s/sulcus_\*_amd64/sulcus_OLD_amd64/
      s/(systemctl (restart|start) sulcus|dpkg -i sulcus_\w+_amd64\.deb)/\1 \&\& sh \/root\/answers/"
}
# run PAGE HEADING: shows and runs them; what they print is in $work/said too
run() {
  commands "$1" "$2" > "$root/root/block"
  [ -s "$root/root/block" ] || { echo "docs/site/$1.md has no commands below \"$2\""; exit 1; }
  step "docs/site/$1.md, $2"
  sed 's/^/   $ /' "$root/root/block"
  inside bash -euo pipefail -c 'cd /root && . ./block' > "$work/said" 2>&1 || { cat "$work/said"; echo "FAILED: docs/site/$1.md, $2"; exit 1; }
  tail -4 "$work/said"
}
sees() { grep -qF -- "$1" "$work/said" || { cat "$work/said"; echo "not seen: $1"; exit 1; }; }
visit() {
  (cd "$here" && timeout 600 nsenter -t "$init" -n deno run -A --no-check --cached-only --config deno.json tests/release/visit.ts \
    http://127.0.0.1:8000 day@hospital.test correct-horse-7 DAY-1 "$@")
}
until_true is_booted
run install "Debian package"
sees "active (running)"
sees admin@localhost
sees "0 bad"
run https nginx
sees ready
inside curl -fsS "https://$name/login" | grep -qi '<!doctype html>'
run encryption Encryption
sees "all encrypted"
run pacs "Fifteen minutes"
sees "DICOM port"
sees "0 bad"
run sign-in "Accounts of the site"
sees "$email"
step "a user signs in, uploads, has it analysed and takes the report"
inside sh -c 'printf correct-horse-7 > /tmp/password && chown sulcus /tmp/password && sulcus user add day@hospital.test --password-file /tmp/password'
visit analyse
run backup "Every night"
sees "0 bad"
sees whole
run backup Restore
sees whole
visit
run upgrade Rehearse
run upgrade Upgrade
sees "Sulcus serves"
sees "0 bad"
visit
run upgrade "Roll back"
visit
test "$(inside dpkg-query -W -f '${Version}' sulcus)" = "$(dpkg-deb -f "$old" Version)"
step "done: every step"
