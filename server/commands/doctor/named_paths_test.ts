import assert from "node:assert/strict";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import { checkNamedFiles, checkNamedFolders } from "@/server/commands/doctor/named_paths.ts";

function environmentOf(variables: Record<string, string>) {
  const result = readEnvironment(variables, 1);
  assert.ok("environment" in result, JSON.stringify(result));
  return result.environment;
}

Deno.test("doctor: a key that the user of the site may not read is bad, with the command that mends it", async () => {
  const path = "/etc/sulcus/keys/backup.key";
  const refuse = () => Promise.reject(new Deno.errors.PermissionDenied("os error 13"));
  const [finding, ...others] = await checkNamedFiles(
    { SULCUS_BACKUP_KEY_FILE: path, SULCUS_HOST: "::1" },
    refuse,
  );
  assert.equal(finding!.state, "bad");
  assert.match(
    finding!.advice!,
    /^Run chown sulcus \/etc\/sulcus\/keys\/backup\.key && chmod 400 /,
  );
  assert.deepEqual(others, []);
  const [missing] = await checkNamedFiles({ SULCUS_LDAP_CA: "/nowhere/ca.pem" });
  assert.match(missing!.advice!, /correct SULCUS_LDAP_CA/);
  assert.deepEqual(
    await checkNamedFiles({ SULCUS_TLS_CERT: new URL(import.meta.url).pathname }),
    [],
  );
});

Deno.test("doctor: a backup folder that the unit mounts read-only is bad before the first night", async () => {
  const dataDir = await Deno.realPath(await Deno.makeTempDir()),
    backups = await Deno.realPath(await Deno.makeTempDir());
  try {
    const environment = environmentOf({
      SULCUS_DATA_DIR: dataDir,
      SULCUS_BACKUP_DIR: `${backups}/sulcus`,
    });
    assert.deepEqual(await checkNamedFolders(environment, null), []);
    assert.deepEqual(await checkNamedFolders(environment, [dataDir, backups]), []);
    const [finding, ...others] = await checkNamedFolders(environment, [
      dataDir,
      `${backups}-of-another`,
    ]);
    assert.equal(
      finding!.text,
      `SULCUS_BACKUP_DIR: the systemd unit cannot write to ${backups}/sulcus`,
    );
    assert.match(finding!.advice!, /ReadWritePaths=-\S+\/sulcus to /);
    assert.deepEqual(others, []);
    // a link of the data folder leads to a disk that the unit may not write on
    await Deno.symlink(backups, `${dataDir}/blobs`);
    const linked = await checkNamedFolders(environmentOf({ SULCUS_DATA_DIR: dataDir }), [dataDir]);
    assert.deepEqual(linked.map(({ text }) => text), [
      `SULCUS_DATA_DIR: the systemd unit cannot write to ${backups}`,
    ]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
    await Deno.remove(backups, { recursive: true });
  }
});
