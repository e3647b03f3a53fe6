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
import { asInstalled } from "@/tools/release/bundle.ts";
import { makeFolder } from "@/tools/release/folder.ts";
import { signSums, writeSums } from "@/tools/release/packages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** What the command of a release sees: nothing of this machine's packages and caches. */
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

/** Starts it and waits for its address. */
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
  name: "a release's folder starts without packages, takes an upload, and has the administrator's commands",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-release-" }), program = `${folder}/sulcus/sulcus`;
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
      // every file of it is what its list says
      assert.match((await programOf(engine![1]))!.args.join(" "), /commands\/analyze\.ts$/);
      const made = async (name: string) => await Deno.readTextFile(`${folder}/sulcus/${name}`);
      assert.ok(JSON.parse(await made("sbom/sulcus.cdx.json")).components.length > packages.length);
      assert.ok(JSON.parse(await made("sbom/sulcus.vex.cdx.json")).vulnerabilities.length > 0);
      assert.match(await made("trace.md"), /^\| S-118 \|/m);
      const site = await startRelease(program, env);
      try {
        const cookie = await signInPage(site.url, EMAIL, PASSWORD), api = pageApi(site.url, cookie);
        assert.match(await (await fetch(site.url, { headers: { cookie } })).text(), /^<!doctype html>/i);
        // by the converter, whose rights name the release's own places
        assert.equal((await uploadFiles(api, phantomSeries("short", "RELEASE-1"))).success, 1);
        const manual = await fetch(`${site.url}/api/v1/about/manual/file`, { headers: { cookie } });
        assert.equal(text(new Uint8Array(await manual.arrayBuffer()).subarray(0, 5)), "%PDF-");
        assert.match((await command("user", "list")).out, /physician@hospital\.test/);
        const { code, out } = await command("doctor");
        assert.equal(code, 0, out);
        assert.match(out, /Database +SQLite, whole/);
      } finally {
        assert.equal(await site.stop(), 0);
      }
      const backup = await command("backup", `${folder}/backup`);
      assert.equal(backup.code, 0, backup.err + backup.out);
      assert.match((await command("verify", `${folder}/backup`)).out, /Database {3}whole/);
      const wrong = await command("paint");
      assert.deepEqual([wrong.code, wrong.err.includes("sulcus user add"), wrong.err.includes("deno")], [
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
    assert.ok(!verify(null, sums.map((byte, at) => at === 3 ? byte ^ 1 : byte), publicKey, signature));
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

const hasSystemd = existsSync("/usr/bin/systemd-analyze");
Deno.test({
  name: `the systemd unit's exposure is 2.0 at most${
    hasSystemd ? "" : " (skipped: systemd-analyze is not installed)"
  }`,
  ignore: !hasSystemd,
  fn: async () => {
    const { stdout, stderr } = await new Deno.Command("systemd-analyze", {
      args: ["security", "--offline=true", "--no-pager", `${ROOT}/tools/release/debian/sulcus.service`],
    }).output();
    const level = /Overall exposure level for \S+: ([\d.]+)/.exec(text(stdout))?.[1];
    assert.ok(level !== undefined, text(stderr));
    assert.ok(Number(level) <= 2.0, level);
  },
});

Deno.test("asInstalled() spells commands as whoever installed a release types them", () => {
  assert.equal(asInstalled("deno task admin backup F; deno task start"), "sulcus backup F; sulcus start");
  assert.equal(asInstalled("deno task build"), "deno task build");
});
