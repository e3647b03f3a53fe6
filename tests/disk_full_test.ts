import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import {
  deletePatient,
  deletePatients,
  listPatients,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { createCore } from "@/server/core/mod.ts";
import { authenticate } from "@/server/core/accounts/service/auth.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { checkSite, isWhole } from "@/server/core/site/service/site_check.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { AppError } from "@/model/errors.ts";
import { blobsOnDisk, EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";
import { leaveRoom, removeDisk, smallDisk } from "@/tests/sites/small_disk.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const DISK_BYTES = 12 << 20;

function freeOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(() => "ok", (error) => error instanceof AppError ? error.code : String(error));

const disk = await smallDisk(DISK_BYTES);
const why = "problem" in disk ? ` (skipped: no small disk can be made: ${disk.problem})` : "";

// covers: S-71
Deno.test({
  name: "a disk that fills up at any write is told by its code, and leaves nothing half written" +
    why,
  ignore: why !== "",
  async fn() {
    const { folder } = disk as { folder: string };
    try {
      await fillUp(folder);
    } finally {
      await removeDisk(folder);
    }
  },
});

async function fillUp(folder: string): Promise<void> {
  const dataDir = `${folder}/data`;
  const errors: string[] = [];
  const core = await createCore({
    dataDir,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
    log: (level, message, fields) =>
      void (level === "error" && errors.push(`${message} ${fields?.error}`)),
  });
  try {
    const open: Api = { send: core.fetch, origin: "http://core" };
    const signIn = async () => ({
      ...open,
      token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
    });
    let api = await signIn(), stored = 0;
    const files = phantomSeries("short", "FULL"), codes = new Set<string>();
    // the disk becomes full while storing files, their volume, and rows, each at least once
    for (const roomKb of [640, 900, 1150, 1350, 3000]) {
      leaveRoom(folder, roomKb << 10);
      const code = await codeOf(uploadFiles(api, files));
      codes.add(code);
      assert.ok(["ok", "storage.full"].includes(code), `${roomKb} kB: ${code} ${errors}`);
      if (code === "ok") {
        stored = 1;
        break;
      }
      assert.equal((await listPatients(api, {})).total, 0);
      assert.deepEqual(blobsOnDisk(dataDir), [], "files of nobody stay");
    }
    assert.deepEqual(
      [...codes].sort(),
      ["ok", "storage.full"],
      "the room was never just too little",
    );

    // adds labels until no row can be stored; acknowledged labels must remain
    leaveRoom(folder, 0);
    let labels = (await getLabels(api)).labels, refused = 0;
    for (let n = 0; n < 300 && refused < 3; n++) {
      const added = { id: -1, label_name: `label ${n}`, patients: [] };
      const saving = saveLabels(api, [...labels, added]);
      const code = await codeOf(saving);
      if (code === "ok") labels = (await saving).labels;
      else {
        assert.equal(code, "storage.full", `label ${n}`);
        refused++;
      }
    }
    assert.ok(refused > 0, "every label found room");
    // reading works, even when the session's last use would be stored; signing in gives the reason
    assert.equal((await listPatients(api, {})).total, stored);
    const beside = openDatabase(`${dataDir}/core.sqlite`), later = Date.now() + 120_000;
    assert.ok(await authenticate({ db: beside } as ServiceContext, api.token!, later));
    await beside.destroy();
    // deletion works without any free space
    leaveRoom(folder, 0);
    api = await signIn();
    assert.equal((await listPatients(api, {})).total, stored);
    leaveRoom(folder, 0);
    const [study] = (await listPatients(api, {})).patients;
    if (study) assert.equal(await codeOf(deletePatient(api, study.pid)), "study.being_analyzed");
    assert.equal(await codeOf(deletePatients(api, [999])), "ok");
    assert.equal(await codeOf(uploadFiles(api, phantomSeries("short", "MORE"))), "storage.full");

    await Deno.remove(`${folder}/ballast`);
    // an upload without Content-Length is counted while it is received
    let least = Infinity, left = 2 * DISK_BYTES;
    const head =
      '--b\r\ncontent-disposition: form-data; name="dicom_files"; filename="a.dcm"\r\n\r\n';
    const parts = [new TextEncoder().encode(head)];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        least = Math.min(least, freeOf(folder));
        left -= 1 << 16;
        if (left < 0) return controller.close();
        controller.enqueue(parts.pop() ?? crypto.getRandomValues(new Uint8Array(1 << 16)));
      },
    });
    const headers = {
      authorization: `Bearer ${api.token}`,
      "content-type": "multipart/form-data; boundary=b",
    };
    const sent = await core.fetch(
      new Request("http://core/api/v1/patients", { method: "POST", headers, body }),
    );
    assert.deepEqual([sent.status, (await sent.json()).code], [507, "storage.full"]);
    assert.ok(least > 300_000, `${least} bytes were left`);
    api = await signIn();
    assert.deepEqual((await getLabels(api)).labels, labels);
    assert.equal((await uploadFiles(api, phantomSeries("short", "MORE"))).success, 1);
  } finally {
    await core.close();
  }
  const db = openDatabase(`${dataDir}/core.sqlite`);
  try {
    const verdict = await checkSite(db, `${dataDir}/blobs`);
    assert.ok(isWhole(verdict), JSON.stringify(verdict));
    assert.equal(verdict.unnamed, 0);
  } finally {
    await db.destroy();
  }
}
