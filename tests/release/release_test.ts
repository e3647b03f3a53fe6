// covers: S-116
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { keptEngines, programOf } from "@/server/commands/operate/kept_engines.ts";
import { asInstalled } from "@/tools/release/texts.ts";
import { COMMAND, makeFolder } from "@/tools/release/folder.ts";
import {
  makeDeb,
  makeImage,
  makerOf,
  signSums,
  workerUnit,
  writeSums,
} from "@/tools/release/packages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Environment of a release's command, without this machine's packages and caches. */
const variables = (dataDir: string) => ({
  PATH: "/usr/bin:/bin",
  HOME: dataDir,
  SULCUS_SETTINGS: `${dataDir}/none.env`,
  SULCUS_CACHE_DIR: `${dataDir}/cache`,
  SULCUS_DATA_DIR: `${dataDir}/site`,
  SULCUS_PORT: "0",
  SULCUS_ADMIN_EMAIL: EMAIL,
  SULCUS_ADMIN_PASSWORD: PASSWORD,
  SULCUS_DISK_WARN: "100",
  SULCUS_DISK_ERROR: "100",
});

/** Starts the release and waits until it prints its address. */
async function startRelease(program: string, env: Record<string, string>) {
  const process = new Deno.Command(program, {
    args: ["start"],
    env,
    clearEnv: true,
    cwd: "/",
    stdout: "piped",
  })
    .spawn();
  const ready = Promise.withResolvers<string>();
  let said = "";
  const reading = (async () => {
    for await (const chunk of process.stdout) {
      said += text(chunk);
      const url = /Sulcus serves (http:\/\/\S+)/.exec(said)?.[1];
      if (url) ready.resolve(url);
    }
    ready.reject(new Error(`It ended before it served: ${said}`));
  })();
  return {
    url: await ready.promise,
    async stop() {
      process.kill("SIGTERM");
      const { code } = await process.status;
      await reading;
      return code;
    },
  };
}

Deno.test({
  name:
    "a release's folder starts without packages, takes an upload, and has the administrator's commands",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-release-" }),
      program = `${folder}/sulcus/sulcus`;
    const env = variables(folder);
    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(program, {
        args,
        env,
        clearEnv: true,
        cwd: "/",
      }).output();
      return { code, out: text(stdout), err: text(stderr) };
    };
    try {
      const packages = await makeFolder(ROOT, `${folder}/sulcus`);
      assert.ok(packages.some((name) => name.startsWith("react@")), packages.join(" "));
      const [engine, ...others] = [...await keptEngines([`${folder}/sulcus/engines`])];
      assert.match(engine![0], /^sulcus-engine \d+\.\d+\.\d+$/);
      assert.equal(others.length, 0);
      // checks all files against the list
      assert.match((await programOf(engine![1]))!.args.join(" "), /commands\/analyze\.ts$/);
      const made = async (name: string) => await Deno.readTextFile(`${folder}/sulcus/${name}`);
      assert.ok(JSON.parse(await made("sbom/sulcus.cdx.json")).components.length > packages.length);
      assert.ok(JSON.parse(await made("sbom/sulcus.vex.cdx.json")).vulnerabilities.length > 0);
      assert.match(await made("trace.md"), /^\| S-118 \|/m);
      const site = await startRelease(program, env);
      try {
        const cookie = await signInPage(site.url, EMAIL, PASSWORD), api = pageApi(site.url, cookie);
        assert.match(
          await (await fetch(site.url, { headers: { cookie } })).text(),
          /^<!doctype html>/i,
        );
        // the converter stores it, with permissions for the release's own paths
        assert.equal((await uploadFiles(api, phantomSeries("short", "RELEASE-1"))).success, 1);
        const manual = await fetch(`${site.url}/api/v1/about/manual/file`, { headers: { cookie } });
        assert.equal(text(new Uint8Array(await manual.arrayBuffer()).subarray(0, 5)), "%PDF-");
        assert.match((await command("user", "list")).out, /physician@hospital\.test/);
        const { code, out } = await command("doctor");
        assert.equal(code, 0, out);
        assert.match(out, /Database +SQLite, intact/);
      } finally {
        assert.equal(await site.stop(), 0);
      }
      const backup = await command("backup", `${folder}/backup`);
      assert.equal(backup.code, 0, backup.err + backup.out);
      assert.match((await command("verify", `${folder}/backup`)).out, /Database {3}intact/);
      const wrong = await command("paint");
      assert.deepEqual([
        wrong.code,
        wrong.err.includes("sulcus user add"),
        wrong.err.includes("deno"),
      ], [
        2,
        true,
        false,
      ]);
    } finally {
      await esbuild.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("signSums() is checked with the public key; a changed file and a foreign key are found", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    await Deno.writeTextFile(`${folder}/b.deb`, "package");
    await Deno.writeTextFile(`${folder}/a.txt`, "text");
    await writeSums(folder);
    const keyFile = await Deno.makeTempFile();
    await Deno.writeTextFile(keyFile, String(privateKey.export({ type: "pkcs8", format: "pem" })));
    await signSums(folder, keyFile);
    const sums = await Deno.readFile(`${folder}/SHA256SUMS`),
      signature = await Deno.readFile(`${folder}/SHA256SUMS.sig`);
    assert.match(text(sums), /^[0-9a-f]{64} {2}a\.txt\n[0-9a-f]{64} {2}b\.deb\n$/);
    assert.ok(verify(null, sums, publicKey, signature));
    assert.ok(
      !verify(null, sums.map((byte, at) => at === 3 ? byte ^ 1 : byte), publicKey, signature),
    );
    const foreign = createPublicKey(generateKeyPairSync("ed25519").privateKey);
    assert.ok(!verify(null, sums, foreign, signature));
    const { privateKey: rsa } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await Deno.writeTextFile(keyFile, String(rsa.export({ type: "pkcs8", format: "pem" })));
    await assert.rejects(signSums(folder, keyFile), /no Ed25519 key/);
    await Deno.remove(keyFile);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const UNIT = `${ROOT}/tools/release/debian/sulcus.service`;
const hasSystemd = existsSync("/usr/bin/systemd-analyze");
/** @param path Unit. @returns its exposure level by `systemd-analyze security`, 0 to 10. */
async function exposureOf(path: string): Promise<number> {
  const { stdout, stderr } = await new Deno.Command("systemd-analyze", {
    args: ["security", "--offline=true", "--no-pager", path],
  }).output();
  const level = /Overall exposure level for \S+: ([\d.]+)/.exec(text(stdout))?.[1];
  assert.ok(level !== undefined, text(stderr));
  return Number(level);
}

Deno.test({
  name: `the systemd unit's exposure is 2.0 at most${
    hasSystemd ? "" : " (skipped: systemd-analyze is not installed)"
  }`,
  ignore: !hasSystemd,
  fn: async () => {
    assert.ok(await exposureOf(UNIT) <= 2.0);
    const folder = await Deno.makeTempDir(), service = await Deno.readTextFile(UNIT);
    try {
      // settings of the drop-in replace those of the unit
      const dropIn = await Deno.readTextFile(`${ROOT}/tools/release/debian/low-ports.conf`);
      const lowPorts = dropIn.split("\n").filter((line) => /^[A-Z]\w+=/.test(line)).reduce(
        (unit, line) => {
          const name = line.slice(0, line.indexOf("="));
          assert.match(unit, new RegExp(`^${name}=`, "m"));
          return unit.replace(new RegExp(`^${name}=.*$`, "m"), line);
        },
        service,
      );
      await Deno.writeTextFile(`${folder}/low.service`, lowPorts);
      assert.ok(await exposureOf(`${folder}/low.service`) <= 2.0);
      await Deno.writeTextFile(`${folder}/sulcus-worker.service`, workerUnit(service));
      assert.ok(await exposureOf(`${folder}/sulcus-worker.service`) <= 2.0);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("units wait for each mount below the data folder that the documents put into fstab", async () => {
  const service = await Deno.readTextFile(UNIT), places = new Set<string>();
  for (const page of ["encryption", "grow", "backup", "install"]) {
    const text = await Deno.readTextFile(`${ROOT}/docs/site/${page}.md`);
    for (const [, place] of text.matchAll(/^\S+ (\/var\/lib\/sulcus\/\S+) \S+ \S+ 0 0$/gm)) {
      places.add(place!);
    }
  }
  assert.ok(places.size >= 3, [...places].join());
  for (const unit of [service, workerUnit(service)]) {
    const needed = /^RequiresMountsFor=(.+)$/m.exec(unit)?.[1]?.split(" ") ?? [];
    // RequiresMountsFor= of a folder includes its parent folders
    for (const place of places) {
      assert.ok(needed.some((one) => `${one}/`.startsWith(`${place}/`)), place);
    }
  }
});

Deno.test("the worker's unit is the site's with another command, and the backup folder can be written", async () => {
  const service = await Deno.readTextFile(UNIT), worker = workerUnit(service);
  assert.match(service, /^ReadWritePaths=-\/var\/backups\/sulcus$/m);
  assert.match(worker, /^ExecStart=\/usr\/bin\/sulcus worker$/m);
  assert.match(worker, /^Conflicts=sulcus\.service$/m);
  const isOther = (line: string) => !service.split("\n").includes(line);
  assert.equal(worker.split("\n").filter(isOther).length, 5);
  assert.throws(() => workerUnit("[Unit]\n"), /has no line Description/);
});

Deno.test({
  name:
    "root's commands of an installed release run as the service's user, and doctor with the ports of its unit",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    const program = async (path: string, lines: string) => {
      await Deno.writeTextFile(`${folder}/${path}`, `#!/bin/sh\n${lines}\n`);
      await Deno.chmod(`${folder}/${path}`, 0o755);
    };
    const run = async (...args: string[]) => {
      const { stdout } = await new Deno.Command(`${folder}/sulcus`, {
        args,
        env: { PATH: `${folder}/bin:/usr/bin:/bin`, SULCUS_SETTINGS: `${folder}/none.env` },
        clearEnv: true,
      }).output();
      return text(stdout).trim();
    };
    try {
      await Deno.mkdir(`${folder}/bin`);
      await Deno.writeTextFile(`${folder}/sulcus`, COMMAND);
      await Deno.chmod(`${folder}/sulcus`, 0o755);
      await program("deno", `echo "deno $*"`);
      await program("bin/id", `[ "$1" = sulcus ] || echo 0`);
      await program("bin/setpriv", `echo "setpriv $*"`);
      const user = "--reuid=sulcus --regid=sulcus --init-groups";
      await program("bin/systemctl", "echo");
      // a folder without the mark of an installation runs as the current user
      assert.match(await run("doctor"), /^deno run .* -A .*main\.ts doctor$/);
      assert.match(await run("worker"), /--allow-run=\S+\/deno .*main\.ts worker$/);
      assert.doesNotMatch(await run("worker"), / -A /);
      await Deno.writeTextFile(`${folder}/installed`, "1\n");
      assert.equal(await run("doctor"), `setpriv ${user} -- ${folder}/sulcus doctor`);
      assert.equal(await run("key", "/k"), `setpriv ${user} -- ${folder}/sulcus key /k`);
      await program("bin/systemctl", "echo cap_net_bind_service");
      assert.match(
        await run("doctor"),
        /^setpriv --reuid=sulcus .*--ambient-caps=\+net_bind_service -- /,
      );
      assert.equal(await run("key", "/k"), `setpriv ${user} -- ${folder}/sulcus key /k`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "a name that is set twice in the file of settings has its last value, a variable its own",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const write = async (name: string, content: string) => {
        await Deno.writeTextFile(`${folder}/${name}`, content);
        await Deno.chmod(`${folder}/${name}`, 0o755);
      };
      await write("sulcus", COMMAND);
      await write("deno", `#!/bin/sh\necho "$SULCUS_PORT $SULCUS_HOST $SULCUS_LOG"\n`);
      await write(
        "settings",
        "SULCUS_PORT=8000\nSULCUS_HOST=127.0.0.1\nSULCUS_LOG=info\nSULCUS_PORT=8001\n" +
          "SULCUS_HOST=::1\nSULCUS_PORT=443",
      );
      const { stdout } = await new Deno.Command(`${folder}/sulcus`, {
        args: ["doctor"],
        env: {
          PATH: "/usr/bin:/bin",
          SULCUS_SETTINGS: `${folder}/settings`,
          SULCUS_HOST: "0.0.0.0",
        },
        clearEnv: true,
      }).output();
      assert.equal(text(stdout).trim(), "443 0.0.0.0 info");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const isRoot = Deno.build.os === "linux" && Deno.uid() === 0 && existsSync("/usr/bin/setpriv");
Deno.test({
  name: `commands start in root's home, which the service's user may not enter${
    isRoot ? "" : " (skipped: it takes root and setpriv)"
  }`,
  ignore: !isRoot,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    const ranIn = async (cwd: string) => {
      const { stdout } = await new Deno.Command("setpriv", {
        args: ["--reuid=65534", "--regid=65534", "--clear-groups", `${folder}/sulcus`, "doctor"],
        cwd,
        env: { SULCUS_SETTINGS: `${folder}/none.env` },
      }).output();
      return text(stdout).trim();
    };
    try {
      await Deno.chmod(folder, 0o755);
      for (const [name, content] of [["sulcus", COMMAND], ["deno", "#!/bin/sh\npwd\n"]]) {
        await Deno.writeTextFile(`${folder}/${name}`, content!);
        await Deno.chmod(`${folder}/${name}`, 0o755);
      }
      await Deno.mkdir(`${folder}/home`, { mode: 0o700 });
      assert.equal(await ranIn(`${folder}/home`), "/");
      assert.equal(await ranIn(folder), folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const hasDpkg = existsSync("/usr/bin/dpkg-deb") && existsSync("/usr/bin/ldd");
Deno.test({
  name: `a package has both units and drop-ins, an image a name to run it by${
    hasDpkg ? "" : " (skipped: dpkg-deb is not installed)"
  }`,
  ignore: !hasDpkg,
  fn: async () => {
    const folder = await Deno.makeTempDir(), release = `${folder}/sulcus`;
    const output = async (program: string, ...args: string[]) =>
      text((await new Deno.Command(program, { args }).output()).stdout);
    try {
      await Deno.mkdir(`${release}/app`, { recursive: true });
      await Deno.writeTextFile(`${release}/LICENSE`, "licence\n");
      const maker = makerOf("Söhne & Co. <support@maker.example>");
      const deb = await makeDeb(release, folder, "1.2.3", maker),
        files = await output("dpkg-deb", "-c", deb);
      for (
        const path of [
          "lib/systemd/system/sulcus.service",
          "lib/systemd/system/sulcus-worker.service",
          "usr/lib/sulcus/systemd/low-ports.conf",
          "usr/lib/sulcus/systemd/folders.conf",
        ]
      ) assert.ok(files.includes(` ./${path}\n`), path);
      assert.equal((await output("dpkg-deb", "-f", deb, "Maintainer")).trim(), maker);
      for (const wrong of ["", "support@maker.example", "A <b>", "A <b@c>\nDepends: x <y@z>"]) {
        assert.throws(() => makerOf(wrong), TypeError);
      }
      const image = await makeImage(release, folder, "1.2.3", maker);
      const index = JSON.parse(await output("tar", "-xOf", image, "./index.json"));
      assert.equal(
        index.manifests[0].annotations["org.opencontainers.image.ref.name"],
        "localhost/sulcus:1.2.3",
      );
      // new volumes get the owner and mode of these folders
      await output("tar", "-xf", image, "-C", release);
      const blob = (digest: string) => `${release}/blobs/sha256/${digest.replace("sha256:", "")}`;
      const manifest = JSON.parse(await Deno.readTextFile(blob(index.manifests[0].digest)));
      const layer = await output("tar", "-tvzf", blob(manifest.layers[0].digest));
      for (const name of ["data", "cache", "keys", "backup"]) {
        assert.match(layer, new RegExp(`^drwxrwxrwt .* \\./${name}/$`, "m"), name);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("asInstalled() spells commands as whoever installed a release types them", () => {
  assert.equal(
    asInstalled("deno task admin backup F; deno task start"),
    "sulcus backup F; sulcus start",
  );
  assert.equal(asInstalled("deno task build"), "deno task build");
  assert.equal(
    asInstalled("`deno\ntask admin user link`, deno task doctor"),
    "`sulcus user link`, sulcus doctor",
  );
});
