// A read-only disk, as a file system that the kernel remounts read-only after an error: the server
// continues, reports the state, serves stored data, and writes again as soon as possible.
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import { getPatient, listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { AppError } from "@/model/errors.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";
import { loopDisk } from "@/tests/sites/small_disk.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const disk = await loopDisk(600_000_000);
const why = "problem" in disk ? ` (skipped: no disk can be made: ${disk.problem})` : "";

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(() => "ok", (error) => error instanceof AppError ? error.code : String(error));

/** Result code of an upload; the server may respond before all bytes are sent. */
const uploadCode = (api: Api): Promise<string> =>
  codeOf(uploadFiles(api, phantomSeries("short", "MORE")));

const isWritable = async ({ url }: Site): Promise<string | undefined> =>
  /^sulcus_disk_writable (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];

/** Calls of users while nothing can be written. */
async function readOnly(site: Site, api: Api, pid: number, studies: number): Promise<void> {
  const { labels } = await getLabels(api);
  const added = { id: -1, label_name: "while read-only", patients: [] };
  for (let round = 0; round < 3; round++) {
    assert.equal(await uploadCode(api), "storage.read_only");
    assert.equal(await codeOf(saveLabels(api, [...labels, added])), "storage.read_only");
    assert.equal((await listPatients(api, {})).total, studies);
    assert.equal((await getPatient(api, pid)).pid, pid);
    assert.equal((await fetch(`${site.url}/health`)).status, 200);
    assert.equal(await isWritable(site), "0");
  }
  assert.equal(
    await codeOf(login({ ...api, token: undefined }, { email: EMAIL, password: PASSWORD })),
    "storage.read_only",
  );
}

// covers: S-71
Deno.test({
  name: `a disk that takes no changes ends no server; what is there is shown${why}`,
  ignore: why !== "",
  async fn() {
    if ("problem" in disk) return;
    const dataDir = `${disk.folder}/site`;
    try {
      await Deno.mkdir(dataDir, { mode: 0o700 });
      await using site = await startSite({ dataDir, workers: 1 });
      const open: Api = { origin: site.url, send: fetch };
      const api = {
        ...open,
        token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
      };
      const { pid_list: [pid] } = await uploadFiles(api, phantomSeries("short", "FIRST"));
      assert.equal(await isWritable(site), "1");

      await disk.setImmutable(dataDir, true);
      await readOnly(site, api, pid!, 1);
      await disk.setImmutable(dataDir, false);
      // the server writes again without a restart
      const files = phantomSeries("short", "SECOND");
      assert.equal((await uploadFiles(api, files)).success, 1, site.output().slice(-2000));
      assert.equal(await isWritable(site), "1");

      // after a disk error the file system can only be mounted again when the site has stopped
      const again = {
        ...open,
        token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
      };
      await disk.fail();
      await readOnly(site, again, pid!, 2);
    } finally {
      await disk.setImmutable(dataDir, false).catch(() => {});
      await disk.remove();
    }
  },
});
