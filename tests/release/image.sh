#!/usr/bin/env bash
# image.sh IMAGE.oci.tar: runs the image as whoever has no rights does (crun, a user namespace of one user, no capabilities), its
# root read-only: first start, sign-in, upload, analysis, viewer, PDF, and a second start on the same data. As root, which it
# drops; needs crun and a tree with packages. Takes two minutes. In the suite's long form (deno task test:long
# image).
set -euo pipefail
# crun knows machines with one kind of control groups alone; this one may have both
if [ -d /sys/fs/cgroup/unified ] && [ -z "${IN_OWN_MOUNTS:-}" ]; then
  IN_OWN_MOUNTS=1 exec unshare --mount bash -c 'mount -t cgroup2 none /sys/fs/cgroup && exec bash "$@"' bash "$0" "$@"
fi
image=$(realpath "$1") here=$(cd "$(dirname "$0")/../.." && pwd) nobody=65534 port=18099
work=$(mktemp -d /tmp/sulcus-image-XXXXXX)
as_nobody() { setpriv --reuid $nobody --regid $nobody --clear-groups env -i PATH=/usr/bin:/bin HOME="$work" XDG_RUNTIME_DIR="$work/run" "$@"; }
end() { as_nobody crun kill sulcus KILL 2>/dev/null || true; as_nobody crun delete -f sulcus 2>/dev/null || true; rm -rf --one-file-system "$work"; }
trap end EXIT
mkdir -p "$work"/{layout,bundle/rootfs/{proc,dev},data,cache,run}
tar -xf "$image" -C "$work/layout"
python3 - "$work" $nobody $port <<'PY'
import json, subprocess, sys
work, nobody, port = sys.argv[1], int(sys.argv[2]), sys.argv[3]
blob = lambda digest: f"{work}/layout/blobs/sha256/{digest[7:]}"
index = json.load(open(f"{work}/layout/index.json"))
manifest = json.load(open(blob(index["manifests"][0]["digest"])))
config = json.load(open(blob(manifest["config"]["digest"])))["config"]
for layer in manifest["layers"]:
    subprocess.run(["tar", "-xzf", blob(layer["digest"]), "-C", f"{work}/bundle/rootfs"], check=True)
user = int(config["User"].split(":")[0])
bind = lambda to: {"destination": to, "type": "bind", "source": work + to, "options": ["bind", "rw"]}
json.dump({
    "ociVersion": "1.0.2",
    "root": {"path": "rootfs", "readonly": True},
    "process": {
        "user": {"uid": user, "gid": user}, "cwd": "/", "noNewPrivileges": True,
        "args": config["Entrypoint"] + config["Cmd"],
        "env": config["Env"] + [f"SULCUS_PORT={port}", "SULCUS_HOST=127.0.0.1", "SULCUS_ADMIN_EMAIL=ward@hospital.test", "SULCUS_ADMIN_PASSWORD=correct-horse-7"],
    },
    "mounts": [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=65536k"]},
        {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]},
        bind("/data"), bind("/cache"),
    ],
    "linux": {
        "namespaces": [{"type": one} for one in ("user", "pid", "mount", "ipc", "uts")],
        "uidMappings": [{"containerID": user, "hostID": nobody, "size": 1}],
        "gidMappings": [{"containerID": user, "hostID": nobody, "size": 1}],
    },
}, open(f"{work}/bundle/config.json", "w"))
PY
chmod 755 "$work"
chown -R $nobody:$nobody "$work/data" "$work/cache" "$work/run" "$work/bundle/config.json"
step() { printf '== %s (at %s s)\n' "$1" "$SECONDS"; }
start() {
  rm -f "$work/site.log"
  as_nobody crun --cgroup-manager=disabled run --bundle "$work/bundle" sulcus < /dev/null > "$work/site.log" 2>&1 &
  for _ in $(seq 600); do grep -qs 'Sulcus serves' "$work/site.log" && return; sleep 0.1; done
  cat "$work/site.log"; return 1
}
visit() { (cd "$here" && deno run -A --no-check --cached-only --config deno.json tests/release/visit.ts http://127.0.0.1:$port ward@hospital.test correct-horse-7 "$@"); }
step "first start"
start
step "upload, analysis, viewer, PDF"
visit IMAGE-1 analyse
step "second start"
as_nobody crun kill sulcus TERM
wait %1 || true
as_nobody crun delete -f sulcus 2>/dev/null || true
start
visit IMAGE-1
step "done: every step"
