// Folder of the audit log's key and anchors on a separate disk (SULCUS_AUDIT_DIR).
// covers: S-70
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { login } from "@/client/api/accounts/auth.ts";
import { beginFactor, confirmFactor } from "@/client/api/accounts/second_factor.ts";
import { createCore } from "@/server/core/mod.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { removeDisk, smallDisk } from "@/tests/sites/small_disk.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";

const disk = await smallDisk(10_000_000);
const why = "problem" in disk ? ` (skipped: no disk can be made: ${disk.problem})` : "";
const ROOT = new URL("../../../", import.meta.url).pathname;

/** Number of keys found by a server that may read only this folder. */
async function keysFound(folder: string): Promise<number> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", `--allow-read=${folder}`, "-"],
    cwd: ROOT,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(
    `import { auditSecretsIn } from "@/server/core/site/service/audit/audit_key.ts";
    console.log((await auditSecretsIn("${folder}")).length);`,
  ));
  await writer.close();
  const { stdout, stderr } = await process.output(), text = new TextDecoder();
  assert.equal(text.decode(stderr), "");
  return Number(text.decode(stdout));
}

Deno.test({
  name: `a restore with the audit log's folder on a disk of its own is whole, each time${why}`,
  ignore: why !== "",
  async fn() {
    if ("problem" in disk) return;
    const auditDir = disk.folder, root = await Deno.makeTempDir();
    await Deno.mkdir(`${auditDir}/lost+found`, { mode: 0 });
    try {
      await withCore(async ({ dataDir, api, open }) => {
        await addStudyWithFiles(dataDir, "A");
        const { secret } = await beginFactor(api, PASSWORD);
        const totp = new TOTP({ secret: Secret.fromBase32(secret) });
        const codeOf = (periods: number) =>
          totp.generate({ timestamp: Date.now() + periods * 30_000 });
        await confirmFactor(api, codeOf(-1));
        const on = (site: string) => ({ SULCUS_DATA_DIR: site, SULCUS_AUDIT_DIR: auditDir });
        const backup = `${root}/backup`;
        assert.equal((await adminHere(on(dataDir), "backup", backup)).code, 0);
        for (const times of [1, 2]) {
          const site = `${root}/site-${times}`;
          const { code, out, err } = await adminHere(on(site), "restore", backup);
          assert.equal(code, 0, err);
          assert.doesNotMatch(out, /could not be verified/);
          assert.equal(await keysFound(auditDir), times + 1);
          const { code: verified, out: verdict } = await adminHere(on(site), "verify");
          assert.equal(verified, 0, verdict);
          assert.match(verdict, /Audit log {2}intact/);
          // the text in docs/site/backup.md
          assert.match(verdict, /Database {3}intact/);
          const core = await createCore({ dataDir: site, auditDir, workers: 0 });
          const there = { send: core.fetch, origin: open.origin };
          const code6 = codeOf(0);
          try {
            assert.ok(await login(there, { email: EMAIL, password: PASSWORD, code: code6 }));
          } finally {
            await core.close();
          }
        }
      }, { auditDir });
    } finally {
      await Deno.remove(root, { recursive: true });
      await removeDisk(disk.folder);
    }
  },
});
