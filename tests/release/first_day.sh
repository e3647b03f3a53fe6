#!/usr/bin/env bash
# first_day.sh OLD NEW [ROOT]: a hospital's first day by the documents. OLD and NEW are folders of a signed release (its package,
# SHA256SUMS, .sig) with sulcus.pub.pem. Takes the commands out of docs/site (check, install, HTTPS by nginx, encryption, PACS,
# accounts, OpenID, backup, restore, rehearsal, upgrade, rollback, monitoring, low ports) and runs them as they are written on a bare
# Debian 12 that debootstrap made, under its own systemd in a container (systemd-nspawn) without network; packages that the
# documents install (nginx) and Orthanc are fetched before. Beside them it does what people do: the hospital's authority makes
# certificates, a user uploads a study and takes the report, an administrator connects Orthanc, which sends a study and gets the
# results, and a physician signs in at an OpenID provider (oidc-provider of npm, behind nginx) in Chromium. As root, with
# systemd-container, openssl, chromium; ten minutes. In the suite's long form (deno task test:long first_day). ROOT: folder
# that debootstrap made; without it one is fetched. Not run: LDAP, dcm4chee, consoles, HL7 and FHIR (tests/api has them).
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2") base=${3:-} here=$(cd "$(dirname "$0")/../.." && pwd) work=$(mktemp -d /tmp/sulcus-day-XXXXXX)
root=$work/root name=sulcus.hospital.example email=ward@hospital.test nspawn='' init='' provider=''
end() {
  [ -z "$provider" ] || kill "$provider" 2>/dev/null || true
  [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true
  [ -z "$nspawn" ] || wait "$nspawn" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap end EXIT
step() { printf '== %s (at %s s)\n' "$1" "$SECONDS"; }

step "a bare Debian, with what the documents install from Debian in its archive"
[ -n "$base" ] || { base=$work/fetched && debootstrap --variant=minbase bookworm "$base" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > /dev/null; }
cp -a "$base" "$root"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
# a person answers yes
echo 'APT::Get::Assume-Yes "true";' > "$root/etc/apt/apt.conf.d/yes"
in_root apt-get -q update > "$work/apt" && in_root apt-get -q install systemd systemd-sysv curl openssl ca-certificates iproute2 >> "$work/apt" &&
  in_root apt-get -q install -d nginx orthanc orthanc-dicomweb >> "$work/apt" || { tail "$work/apt"; exit 1; }

step "the hospital: its names, its authority with two certificates, the client's secret, the release on a disk"
# addresses of the site and of the PACS; a name for each
printf '%s\n' "127.0.0.1 localhost $name login.hospital.example" "10.1.2.4 orthanc" > "$root/etc/hosts"
(cd "$root/root" && {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=Hospital" -keyout "$work/ca-key.pem" -out hospital-ca.pem
  for each in site login; do
    if [ $each = site ]; then host=$name out=.; else host=login.hospital.example out=../etc/login; mkdir ../etc/login; fi
    openssl req -newkey rsa:2048 -nodes -subj "/CN=$host" -keyout $out/key.pem -out "$work/request.pem"
    openssl x509 -req -in "$work/request.pem" -CA hospital-ca.pem -CAkey "$work/ca-key.pem" -CAcreateserial -CAserial "$work/serial" -days 2 \
      -extfile <(echo "subjectAltName=DNS:$host") -out $out/cert.pem
  done
  openssl rand -hex 24 > secret.txt
} 2>/dev/null)
cp "$old"/sulcus_*_amd64.deb "$old"/SHA256SUMS* "$old/sulcus.pub.pem" "$root/root/"
version_old=$(basename "$old"/sulcus_*_amd64.deb | cut -d_ -f2) version_new=$(basename "$new"/sulcus_*_amd64.deb | cut -d_ -f2)

systemd-nspawn -q -D "$root" --private-network --register=no --keep-unit --boot \
  --console=pipe -- systemd.unit=multi-user.target systemd.default_timeout_stop_sec=40s > "$work/console" 2>&1 &
nspawn=$!
for _ in $(seq 100); do init=$(pgrep -P "$nspawn" -x systemd) && break; sleep 0.1; done
inside() { nsenter -t "$init" -m -p -i -u -n -C /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root SYSTEMD_PAGER= CURL_CA_BUNDLE=/root/hospital-ca.pem "$@"; }
until_true() { for _ in $(seq 900); do "$@" && return; sleep 0.1; done; echo "In vain: $*"; tail -5 "$work/console"; inside journalctl -u sulcus --no-pager | tail -30; return 1; }
is_booted() { inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; }
cat > "$root/root/answers" <<'WAIT'
# masked: it must not start now
systemctl is-enabled sulcus 2>/dev/null | grep -q masked && exit
for _ in $(seq 900); do curl -fs -o /dev/null http://127.0.0.1:8000/ready && exit; sleep 0.1; done
echo "the site does not answer"; exit 1
WAIT
# commands PAGE HEADING: those below a heading of a page of docs/site, with the hospital's values, and with a wait after each start
# of the site, as a person waits for the page
commands() {
  awk -v heading="$2" '/^##? /{here = $0 == "# " heading || $0 == "## " heading} here && /^ *```sh$/{code = 1; next} /^ *```$/{if (code) exit} code{sub(/^   /, ""); print}' "$here/docs/site/$1.md" |
    sed -E "s/YOUR\.NAME/$name/g; s/\bEMAIL\b/$email/g; s/\"NAME\"/\"Ward\"/; s/\bSTUDY\b/${study:-}/; s/sulcus_NEW/sulcus_$version_new/; s/sulcus_OLD/sulcus_$version_old/
      s/(systemctl (restart|start) sulcus|dpkg -i sulcus_\S+_amd64\.deb)/\1 \&\& sh \/root\/answers/"
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
# person SCRIPT ARGS: a script of tests/release in the container's network
person() {
  (cd "$here" && timeout 2400 nsenter -t "$init" -n deno run -A --no-check --cached-only --config deno.json "tests/release/$1" "${@:2}")
}
# a failed visit shows the last lines of the log
visit() { person visit.ts http://127.0.0.1:8000 day@hospital.test correct-horse-7 DAY-1 "$@" || { inside journalctl -u sulcus --no-pager -o cat | tail -30; return 1; }; }
pacs() { person pacs_visit.ts http://127.0.0.1:8000 it@hospital.test correct-horse-7 "$@"; }
until_true is_booted
inside ip address add 10.1.2.3/32 dev lo
inside ip address add 10.1.2.4/32 dev lo

run install "Check the files"
sees "Signature Verified Successfully"
sees OK
run install "Debian package"
sees "active (running)"
sees admin@localhost
sees "0 failed"
run https nginx
sees ready
inside curl -fsS "https://$name/login" | grep -qi '<!doctype html>'
run encryption Encryption
sees "all encrypted"
run pacs "Fifteen minutes"
sees "DICOM port"
sees "0 failed"
run sign-in "Accounts of the site"
sees "$email"
step "a user signs in, uploads, has it analysed and takes the report"
inside sh -c 'printf correct-horse-7 > /tmp/password && chown sulcus /tmp/password && sulcus user add day@hospital.test --password-file /tmp/password &&
  sulcus user add it@hospital.test --role administrator --password-file /tmp/password'
visit analyse

step "the hospital's PACS: Orthanc, which has the lines of docs/site/pacs.md"
inside apt-get -q install orthanc orthanc-dicomweb > "$work/apt" 2>&1 || { tail "$work/apt"; exit 1; }
snippet=$(awk '/^## Orthanc$/{here = 1} here && /^```json$/{code = 1; next} /^```$/{if (code) exit} code' "$here/docs/site/pacs.md")
rm "$root"/etc/orthanc/*.json
cat > "$root/etc/orthanc/orthanc.json" <<JSON
{ "StorageDirectory": "/var/lib/orthanc/db-v6", "IndexDirectory": "/var/lib/orthanc/db-v6", "Plugins": [], "StableAge": 1, "DicomAet": "ORTHANC",
  "DicomPort": 4242, "RemoteAccessAllowed": true, "AuthenticationEnabled": false, "DefaultEncoding": "Utf8", $snippet }
JSON
mkdir -p "$root/etc/systemd/system/orthanc.service.d"
printf '[Service]\nEnvironment=TCP_NODELAY=1\n' > "$root/etc/systemd/system/orthanc.service.d/delay.conf"
inside systemctl daemon-reload
inside systemctl restart orthanc
until_true inside curl -fs -o /dev/null http://orthanc:8042/system
pacs connect "http://10.1.2.4:8042"
study=$(inside curl -fs http://orthanc:8042/studies | tr -d '[]" \n')
run pacs Orthanc
pacs results "http://10.1.2.4:8042"

step "the hospital's OpenID provider, behind its proxy"
cat > "$root/etc/nginx/sites-enabled/login.conf" <<'NGINX'
server {
    listen 443 ssl http2;
    server_name login.hospital.example;
    ssl_certificate     /etc/login/cert.pem;
    ssl_certificate_key /etc/login/key.pem;
    location / {
        proxy_pass http://127.0.0.1:9000;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-Proto https;
    }
}
NGINX
inside systemctl reload nginx
(cd "$here" && exec nsenter -t "$init" -n deno run -A --no-check --cached-only --config deno.json tests/release/openid.ts serve \
  "https://login.hospital.example/realms/hospital" "https://$name" "$root/root/secret.txt") > "$work/provider" 2>&1 &
provider=$!
until_true inside curl -fs -o /dev/null https://login.hospital.example/realms/hospital/.well-known/openid-configuration
run sign-in "OpenID: Keycloak, Entra ID, AD FS"
sees "login.hospital.example/realms/hospital answers"
sees "0 failed"
inside curl -fsS "https://$name/login" | grep -q "Sign in with Hospital"
person openid.ts sign-in "https://$name" "Sign in with Hospital"

run backup "Every night"
sees "0 failed"
sees "Database   intact"
run backup Restore
sees "Database   intact"
visit
rm "$root"/root/SHA256SUMS*
cp "$new"/sulcus_*_amd64.deb "$new"/SHA256SUMS* "$root/root/"
run install "Check the files"
sees "Signature Verified Successfully"
run upgrade Rehearse
run upgrade Upgrade
sees "Sulcus serves"
sees "0 failed"
visit
person openid.ts sign-in "https://$name" "Sign in with Hospital"
run upgrade "Roll back"
visit
test "$(inside dpkg-query -W -f '${Version}' sulcus)" = "$version_old"
run monitoring Monitoring
sees ready
sees sulcus_jobs
run install Ports
sees "0 failed"
step "done: every step"
