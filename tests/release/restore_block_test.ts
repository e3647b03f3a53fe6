// Runs the restore commands of docs/site as they are written, in temporary folders. Only systemctl,
// the user and dpkg are replaced by stand-ins, because a test must not change those of the machine.
// covers: S-70
import assert from "node:assert/strict";
import { parse } from "node:path";
import { KNOWN_VARIABLES } from "@/server/commands/start/environment.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { withCore } from "@/tests/sites/core_site.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

/** Code block of a page that contains a text. */
async function blockWith(page: string, text: string): Promise<string> {
  const source = await Deno.readTextFile(`${ROOT}docs/site/${page}.md`);
  const block = [...source.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)
    .find((code) => code.includes(text));
  assert.ok(block, `${page}: ${text}`);
  return block;
}

/** Folder with stand-ins for programs; `sulcus` runs this source tree. */
async function programs(folder: string): Promise<string> {
  const bin = `${folder}/bin`;
  const scripts = {
    systemctl: "exit 0",
    dpkg: "exit 0",
    runuser: 'shift 3; exec "$@"',
    sulcus:
      `exec ${Deno.execPath()} run -A --no-check --config=${ROOT}deno.json ${ROOT}main.ts admin "$@"`,
  };
  await Deno.mkdir(bin);
  for (const [name, script] of Object.entries(scripts)) {
    await Deno.writeTextFile(`${bin}/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return bin;
}

async function runBlock(block: string, folder: string, site: string): Promise<string> {
  const script = block.replaceAll("/var/lib/sulcus", site)
    .replace(/\/var\/backups\/sulcus\/\w+/, `${folder}/backup`);
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", script],
    cwd: folder,
    env: { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, SULCUS_DATA_DIR: site },
  }).output();
  const text = new TextDecoder();
  assert.ok(success, text.decode(stderr));
  return text.decode(stdout);
}

for (const page of ["backup", "upgrade"]) {
  Deno.test(`docs/site/${page}.md: a restore keeps links to other disks, and moves the earlier files on each`, () =>
    withCore(async ({ dataDir }) => {
      const folder = await Deno.makeTempDir({ prefix: "sulcus-restore-" }), site = `${folder}/site`;
      try {
        await addStudyWithFiles(dataDir, "A");
        const backup = `${folder}/backup`;
        assert.equal((await adminHere({ SULCUS_DATA_DIR: dataDir }, "backup", backup)).code, 0);
        await programs(folder);
        // the site to be replaced: files on two other disks, a received study, and an audit log key
        for (const path of ["disk/blobs/aa", "disk/exports", "site/inbox/received", "site/audit"]) {
          await Deno.mkdir(`${folder}/${path}`, { recursive: true });
        }
        for (const name of ["blobs", "exports"]) {
          await Deno.symlink(`${folder}/disk/${name}`, `${site}/${name}`);
        }
        await Deno.copyFile(`${dataDir}/audit/key`, `${site}/audit/key`);
        for (const path of ["site/core.sqlite", "site/inbox/received/1.2.dcm", "disk/blobs/aa/x"]) {
          await Deno.writeTextFile(`${folder}/${path}`, "earlier");
        }
        await Deno.writeTextFile(`${folder}/disk/exports/report`, "earlier");

        const out = await runBlock(await blockWith(page, "sulcus restore"), folder, site);
        assert.match(out, /Restored the site/);
        assert.doesNotMatch(out, /could not be verified/);
        const aside = [...Deno.readDirSync(site)].find(({ name }) => name.startsWith("before-"))!;
        for (const [name, file] of [["blobs", "aa/x"], ["exports", "report"]]) {
          assert.equal(await Deno.readLink(`${site}/${name}`), `${folder}/disk/${name}`);
          assert.ok(await exists(`${folder}/disk/${name}/${aside.name}/${file}`), name);
          assert.ok(!await exists(`${folder}/disk/${name}/${parse(file!).dir || file}`), name);
        }
        assert.equal(await Deno.readTextFile(`${site}/${aside.name}/core.sqlite`), "earlier");
        // the sender got an acknowledgement for these files, so they must be kept
        assert.ok(await exists(`${site}/inbox/received/1.2.dcm`));
        const { code, out: verdict } = await adminHere({ SULCUS_DATA_DIR: site }, "verify");
        assert.equal(code, 0, verdict);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    }));
}

/** Runs commands like an interactive shell, which continues after a failed line. */
async function paste(commands: string, folder: string, site: string): Promise<void> {
  const script = commands.replaceAll("/var/lib/sulcus", site)
    .replace(/\/var\/backups\/sulcus\/\w+/, `${folder}/backup`);
  await new Deno.Command("bash", {
    args: ["-c", script],
    cwd: folder,
    env: { PATH: `${folder}/bin:${Deno.env.get("PATH")}`, SULCUS_DATA_DIR: site },
  }).output();
}

/** Paths and contents of the files below a folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", "find . -type f -exec sha256sum {} + | sort -k 2"],
    cwd: folder,
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n");
}

for (const page of ["backup", "upgrade"]) {
  Deno.test(`docs/site/${page}.md: a refused restore starts nothing, and the former site comes back`, () =>
    withCore(async ({ dataDir }) => {
      const folder = await Deno.makeTempDir({ prefix: "sulcus-restore-" }), site = `${folder}/site`;
      try {
        await addStudyWithFiles(dataDir, "A");
        const backup = `${folder}/backup`;
        assert.equal((await adminHere({ SULCUS_DATA_DIR: dataDir }, "backup", backup)).code, 0);
        await Deno.writeTextFile(`${backup}/core.sqlite`, "damaged");
        const bin = await programs(folder);
        await Deno.writeTextFile(
          `${bin}/systemctl`,
          `#!/bin/sh\necho "$@" >> ${folder}/systemctl.log\n`,
          { mode: 0o755 },
        );
        for (const path of ["blobs/aa/x", "exports/report", "audit/key", "core.sqlite"]) {
          await Deno.mkdir(parse(`${site}/${path}`).dir, { recursive: true });
          await Deno.writeTextFile(`${site}/${path}`, `earlier ${path}`);
        }
        const former = await filesBelow(site), block = await blockWith(page, "sulcus restore");
        await paste(block, folder, site);
        const calls = await Deno.readTextFile(`${folder}/systemctl.log`);
        assert.doesNotMatch(calls, /\b(?:start|unmask)\b/);
        const [aside] = [...Deno.readDirSync(site)].map(({ name }) => name)
          .filter((name) => name.startsWith("before-"));
        assert.ok(aside);
        // the next second, so that both folders get different names
        await new Promise((done) => setTimeout(done, 1100));
        const moving = block.slice(0, block.indexOf("\ndone\n") + 6);
        const back = await blockWith("backup", "rmdir $D/$A");
        await paste(`A=${aside}\n${moving}${back}`, folder, site);
        const now = (await filesBelow(site)).filter((line) => !line.includes("./before-"));
        assert.deepEqual(now, former);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    }));
}

Deno.test("docs/site/backup.md: on a new disk the copied audit folder proves the backup's signature", () =>
  withCore(async ({ dataDir }) => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-restore-" }), site = `${folder}/site`;
    try {
      await addStudyWithFiles(dataDir, "A");
      const backup = `${folder}/backup`;
      assert.equal((await adminHere({ SULCUS_DATA_DIR: dataDir }, "backup", backup)).code, 0);
      const bin = await programs(folder);
      await Deno.writeTextFile(`${bin}/chown`, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
      // after an earlier restore, the copy contains the former key, with which the backup is signed
      await Deno.mkdir(`${folder}/copy/before-1`, { recursive: true });
      await Deno.copyFile(`${dataDir}/audit/key`, `${folder}/copy/before-1/key`);
      await Deno.writeTextFile(`${folder}/copy/key`, "0".repeat(64));
      await Deno.mkdir(site);
      const page = await Deno.readTextFile(`${ROOT}docs/site/backup.md`);
      const instead = /`(cp -a COPY [^`]+)`/.exec(page)![1]!.replace("COPY", `${folder}/copy`);
      const lines = (await blockWith("backup", "sulcus restore")).split("\n");
      const at = lines.findIndex((line) => line.includes("cp -a"));
      const out = await runBlock(lines.with(at, instead).join("\n"), folder, site);
      assert.match(out, /Restored the site/);
      assert.doesNotMatch(out, /could not be verified/);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }));

Deno.test("docs/site/backup.md: settings of a practice reach no other system and no other backup", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-practice-" }), file = `${folder}/env`;
  try {
    const names = [...KNOWN_VARIABLES] as string[];
    await Deno.writeTextFile(file, names.map((name) => `${name}=x\n`).join(""));
    const block = await blockWith("backup", "sed -i");
    const { success } = await new Deno.Command("bash", {
      args: ["-ec", block.replace("/etc/sulcus/sulcus.env", file)],
    }).output();
    assert.ok(success);
    const kept = [...(await Deno.readTextFile(file)).matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    assert.deepEqual(kept.sort(), [
      "SULCUS_BACKUP_KEY_FILE",
      "SULCUS_CACHE_DIR",
      "SULCUS_DATA_DIR",
      "SULCUS_STORAGE_KEY_FILE",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
