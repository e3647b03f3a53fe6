// Packages made from a release folder: a Debian package, an OCI image, and signed checksums.
import { createHash, createPrivateKey, sign } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { VERSION } from "@/server/core/site/service/status.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ASSETS = new URL("./debian/", import.meta.url);
const asset = (name: string) => Deno.readTextFile(new URL(name, ASSETS));

async function run(
  program: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, env }).output();
  if (!success) throw new Error(`Cannot pack: ${program} says ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** tar options for reproducible archives: equal files give identical archives. */
const SAME = [
  "--sort=name",
  "--mtime=@0",
  "--owner=0",
  "--group=0",
  "--numeric-owner",
  "--format=gnu",
];

/**
 * systemd unit of a machine that only runs analyses: the unit of the site with the command `worker`
 * and a longer stop timeout, so that a running analysis can finish.
 * @throws Error if a line to be changed is missing in the unit of the site.
 */
export function workerUnit(service: string): string {
  const changes: [line: string, replacement: string][] = [
    [
      "Description=Sulcus brain MRI analysis",
      "Description=Sulcus worker: analyses for a site on PostgreSQL",
    ],
    ["Wants=network-online.target", "Wants=network-online.target\nConflicts=sulcus.service"],
    ["ExecStart=/usr/bin/sulcus start", "ExecStart=/usr/bin/sulcus worker"],
    [
      "# what is under way ends first: 10 s for calls, 3 s for answers",
      "# the analysis that has begun ends first",
    ],
    ["TimeoutStopSec=30", "TimeoutStopSec=15min"],
  ];
  const lines = service.split("\n");
  for (const [line, replacement] of changes) {
    const at = lines.indexOf(line);
    if (at < 0) {
      throw new Error(`Cannot make the worker's unit: sulcus.service has no line ${line}`);
    }
    lines[at] = replacement;
  }
  return lines.join("\n");
}

/** Names of an OCI image, which podman, skopeo and containerd assign when they load it. */
export const imageNames = (version: string) => ({
  "org.opencontainers.image.ref.name": `localhost/sulcus:${version}`,
  "io.containerd.image.name": `localhost/sulcus:${version}`,
});

/** Maker in test packages, which no hospital receives: the address does not exist. */
export const NO_MAKER = "Sulcus <nobody@localhost>";

/**
 * Checks the maker's "NAME <ADDRESS>", to which hospitals can write. @throws {TypeError} otherwise.
 */
export function makerOf(text: string): string {
  if (!/^[^<>\p{Cc}]+ <[^\s<>@]+@[^\s<>@]+>$/u.test(text)) {
    throw new TypeError(`--maker must be "NAME <ADDRESS>": ${JSON.stringify(text)}`);
  }
  return text;
}

/** Builds `sulcus_VERSION_amd64.deb` from a release folder. @returns path of the package. */
export async function makeDeb(
  folder: string,
  out: string,
  version = VERSION,
  maker = NO_MAKER,
): Promise<string> {
  const tree = await Deno.makeTempDir({ prefix: "sulcus-deb-" }),
    path = join(out, `sulcus_${version}_amd64.deb`);
  try {
    const write = async (name: string, text: string, mode = 0o644) => {
      await Deno.mkdir(join(tree, name, ".."), { recursive: true });
      await Deno.writeTextFile(join(tree, name), text);
      await Deno.chmod(join(tree, name), mode);
    };
    await Deno.mkdir(join(tree, "usr/lib"), { recursive: true });
    await run("cp", ["-a", folder, join(tree, "usr/lib/sulcus")]);
    await write("usr/lib/sulcus/installed", `${version}\n`);
    await Deno.mkdir(join(tree, "usr/bin"), { recursive: true });
    await Deno.symlink("../lib/sulcus/sulcus", join(tree, "usr/bin/sulcus"));
    const service = await asset("sulcus.service");
    await write("lib/systemd/system/sulcus.service", service);
    await write("lib/systemd/system/sulcus-worker.service", workerUnit(service));
    for (const name of ["low-ports.conf", "folders.conf"]) {
      await write(`usr/lib/sulcus/systemd/${name}`, await asset(name));
    }
    await write("etc/sulcus/sulcus.env", await asset("sulcus.env"), 0o640);
    await write("usr/share/doc/sulcus/copyright", await Deno.readTextFile(join(folder, "LICENSE")));
    await write("DEBIAN/conffiles", "/etc/sulcus/sulcus.env\n");
    for (const name of ["postinst", "prerm", "postrm"]) {
      await write(`DEBIAN/${name}`, await asset(name), 0o755);
    }
    const kilobytes = (await run("du", ["-sk", "--exclude=DEBIAN", tree])).split("\t")[0]!;
    const control = (await asset("control")).replace("@VERSION@", version)
      .replace("@SIZE@", kilobytes).replace("@MAKER@", () => maker);
    await write("DEBIAN/control", control);
    await Deno.chmod(tree, 0o755);
    await run("dpkg-deb", ["--root-owner-group", "-Zxz", "-z3", "-b", tree, path], {
      SOURCE_DATE_EPOCH: "0",
    });
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
  return path;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/**
 * Folders of an image for its volumes: an engine gives a new volume the rights of the folder below
 * it.
 */
const IMAGE_FOLDERS = ["data", "cache", "tmp", "keys", "backup"];

/**
 * OCI image with one layer and no base image: the release and the C library that Deno needs.
 * It runs as an unprivileged user and writes only to its volumes,
 * so that its root file system may be read-only.
 * @returns path of the tar file.
 */
export async function makeImage(
  folder: string,
  out: string,
  version = VERSION,
  maker = NO_MAKER,
): Promise<string> {
  const work = await Deno.makeTempDir({ prefix: "sulcus-oci-" }), root = join(work, "root");
  const path = join(out, `sulcus-${version}.oci.tar`);
  try {
    for (const name of ["usr/lib", "usr/bin", ...IMAGE_FOLDERS, "etc"]) {
      await Deno.mkdir(join(root, name), { recursive: true });
    }
    for (const name of IMAGE_FOLDERS) await Deno.chmod(join(root, name), 0o1777);
    await run("cp", ["-a", folder, join(root, "usr/lib/sulcus")]);
    await Deno.writeTextFile(join(root, "etc/passwd"), "sulcus:x:65532:65532::/data:/\n");
    const libraries = (await run("ldd", [Deno.execPath()])).matchAll(/(\/\S+) \(0x/g);
    for (const [, library] of libraries) {
      await Deno.mkdir(join(root, library!, ".."), { recursive: true });
      await Deno.copyFile(await Deno.realPath(library!), join(root, library!));
    }
    await run("tar", [...SAME, "-cf", join(work, "layer.tar"), "-C", root, "."]);
    const layer = await Deno.readFile(join(work, "layer.tar")),
      packed = gzipSync(layer, { level: 6 });
    const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const program = "/usr/lib/sulcus/";
    const rights = ["read", "write", "env"].map((name) => `--allow-${name}`);
    const config = text({
      architecture: "amd64",
      os: "linux",
      config: {
        User: "65532:65532",
        Env: [
          "DENO_DIR=/cache",
          "HOME=/data",
          "SULCUS_DATA_DIR=/data",
          "SULCUS_HOST=0.0.0.0",
          "DENO_NO_UPDATE_CHECK=1",
        ],
        Entrypoint: [
          `${program}deno`,
          ..."run --no-check --cached-only --no-prompt --quiet".split(" "),
          `--config=${program}app/deno.json`,
          ...rights,
          `--allow-run=${program}deno`,
          `${program}app/main.ts`,
        ],
        Cmd: ["start"],
        ExposedPorts: { "8000/tcp": {}, "11112/tcp": {} },
        Volumes: { "/data": {}, "/cache": {}, "/tmp": {} },
        Labels: {
          "org.opencontainers.image.version": version,
          "org.opencontainers.image.authors": maker,
          "org.opencontainers.image.licenses": "Apache-2.0",
        },
      },
      rootfs: { type: "layers", diff_ids: [`sha256:${sha256(layer)}`] },
    });
    const type = (name: string) => `application/vnd.oci.image.${name}`;
    const described = (bytes: Uint8Array, mediaType: string) => ({
      mediaType,
      digest: `sha256:${sha256(bytes)}`,
      size: bytes.length,
    });
    const manifest = text({
      schemaVersion: 2,
      mediaType: type("manifest.v1+json"),
      config: described(config, type("config.v1+json")),
      layers: [described(packed, type("layer.v1.tar+gzip"))],
    });
    const index = {
      schemaVersion: 2,
      manifests: [{
        ...described(manifest, type("manifest.v1+json")),
        annotations: imageNames(version),
      }],
    };
    const layout = join(work, "layout"), blobs = join(layout, "blobs/sha256");
    await Deno.mkdir(blobs, { recursive: true });
    for (const bytes of [config, manifest, packed]) {
      await Deno.writeFile(join(blobs, sha256(bytes)), bytes);
    }
    await Deno.writeFile(join(layout, "index.json"), text(index));
    await Deno.writeFile(join(layout, "oci-layout"), text({ imageLayoutVersion: "1.0.0" }));
    await run("tar", [...SAME, "-cf", path, "-C", layout, "."]);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return path;
}

/** Writes `SHA256SUMS` of every file of a folder, in the format of `sha256sum --check`. */
export async function writeSums(folder: string): Promise<void> {
  const lines: string[] = [], files = await Array.fromAsync(filesUnder(folder));
  for (const file of files.sort()) {
    const name = file.slice(folder.length + 1);
    if (!/(^|\/)SHA256SUMS(\.sig)?$/.test(name)) {
      lines.push(`${sha256(await Deno.readFile(file))}  ${name}\n`);
    }
  }
  await Deno.writeTextFile(join(folder, "SHA256SUMS"), lines.join(""));
}

/**
 * Signs the checksums of a folder with an Ed25519 key (PEM, PKCS #8). Verification: `openssl
 * pkeyutl -verify -pubin -inkey KEY.pub.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig`.
 */
export async function signSums(folder: string, keyFile: string): Promise<void> {
  const key = createPrivateKey(await Deno.readTextFile(keyFile));
  if (key.asymmetricKeyType !== "ed25519") {
    throw new Error(`Cannot sign with ${keyFile}: it is no Ed25519 key`);
  }
  await Deno.writeFile(
    join(folder, "SHA256SUMS.sig"),
    sign(null, await Deno.readFile(join(folder, "SHA256SUMS")), key),
  );
}
