import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import { uploadResponse } from "@/model/schema/studies/upload.ts";
import { type Api, callJson } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { discardUpload, getUploadState } from "@/client/api/studies/upload.ts";
import { createCore } from "@/server/core/mod.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { watchUploads } from "@/server/core/studies/service/upload_session.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import {
  blobsOnDisk,
  colleague,
  coreTest,
  openBeside,
  siteOf,
  withCore,
} from "@/tests/sites/core_site.ts";
import { type PhantomFile, phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const ID = "0123456789abcdef0123456789abcdef";

function sendPart(api: Api, files: readonly PhantomFile[], isLast: boolean, uploadId = ID) {
  const body = new FormData();
  body.set("series_type", "");
  for (const { fileName, bytes } of files) body.append("dicom_files", new Blob([bytes]), fileName);
  const query = { upload_id: uploadId, is_last: isLast ? "1" : "0" };
  return callJson(api, uploadResponse, "/api/v1/patients", { method: "POST", query, body });
}

Deno.test("ingestPart() stores the parts of an upload as one study, and answers a repeated last part the same", async () => {
  await withCore(async ({ api, open, dataDir }) => {
    const files = phantomSeries("short", "PART-1");
    const first = await sendPart(api, files.slice(0, 30), false);
    assert.deepEqual([first.total, first.received?.length], [0, 30]);
    assert.equal((await listPatients(api)).total, 0);
    // one that is there is passed over, and nobody else sees the upload
    await sendPart(
      api,
      [...files.slice(20, 40), { fileName: "x.dcm", bytes: new Uint8Array(9) }],
      false,
    );
    assert.equal((await getUploadState(api, ID)).received.length, 41);
    const other = await colleague(open, dataDir);
    assert.deepEqual((await getUploadState(other, ID)).received, []);
    await discardUpload(other, ID);

    const answer = await sendPart(api, files.slice(40), true);
    assert.deepEqual([answer.total, answer.success], [1, 1]);
    assert.deepEqual(answer.failed.map(({ file_name, reason }) => [file_name, reason]), [[
      "x.dcm",
      "not_dicom",
    ]]);
    assert.deepEqual(await sendPart(api, [], true), answer);
    const state = await getUploadState(api, ID);
    assert.deepEqual(state, { received: [], is_complete: true });
    assert.equal((await listPatients(api)).total, 1);
    // all files and their volume; nothing is staged any more
    assert.equal(blobsOnDisk(dataDir).length, files.length + 1);
  });
});

Deno.test("discardUpload() removes what has arrived, and an unreadable name is refused", async () => {
  await withCore(async ({ api, dataDir }) => {
    await sendPart(api, phantomSeries("short", "GONE-2").slice(0, 5), false);
    assert.equal(blobsOnDisk(dataDir).length, 5);
    await discardUpload(api, ID);
    assert.deepEqual(blobsOnDisk(dataDir), []);
    assert.deepEqual(await getUploadState(api, ID), { received: [], is_complete: false });
    await assert.rejects(sendPart(api, [], true, "../etc"), { code: "input.invalid" });
    await assert.rejects(getUploadState(api, "short"), { code: "entity.not_found" });
  });
});

Deno.test("discardUpload() in the middle of the last part leaves no half of the study behind", async () => {
  await withCore(async ({ api, dataDir }) => {
    const files = phantomSeries("short", "HALF-3").slice(0, 3),
      rest = Promise.withResolvers<void>();
    const text = (value: string) => new TextEncoder().encode(value);
    const body = ReadableStream.from((async function* () {
      for (const [index, { fileName, bytes }] of files.entries()) {
        const isFirst = index === 0;
        yield text(
          `${isFirst ? "" : "\r\n"}--B\r\ncontent-disposition: form-data; name="dicom_files"; `,
        );
        yield text(`filename="${fileName}"\r\n\r\n`);
        yield bytes.subarray(0, 1000);
        if (index === 2) await rest.promise;
        yield bytes.subarray(1000);
      }
      yield text("\r\n--B--\r\n");
    })());
    const incoming = () => [...Deno.readDirSync(`${dataDir}/blobs/incoming`)].length;
    const request = new Request(
      `http://core/api/v1/patients?upload_id=${ID}&is_last=1&file_count=3`,
      {
        method: "POST",
        body,
        headers: {
          "authorization": `Bearer ${api.token}`,
          "content-type": "multipart/form-data; boundary=B",
        },
        duplex: "half",
      } as RequestInit,
    );
    const answer = api.send(request);
    await until(() => incoming() === 3);
    await discardUpload(api, ID);
    rest.resolve();
    assert.deepEqual([(await answer).status, (await (await answer).json()).code], [
      404,
      "entity.not_found",
    ]);
    assert.equal((await listPatients(api)).total, 0);
    assert.deepEqual([incoming(), blobsOnDisk(dataDir)], [0, []]);
  });
});

// covers: S-16
coreTest(
  "an upload goes on after the server has started again, and no file is sent twice",
  async (site) => {
    const { api, dataDir, core } = site, files = phantomSeries("short", "AGAIN-4");
    await sendPart(
      api,
      [...files.slice(0, 30), { fileName: "x.dcm", bytes: new Uint8Array(9) }],
      false,
    );
    await core.close();
    const next = await createCore({ dataDir, databaseUrl: siteOf(dataDir), workers: 0 });
    try {
      const later: Api = { ...api, send: next.fetch };
      const names = files.slice(0, 30).map(({ fileName }) => fileName);
      assert.deepEqual((await getUploadState(later, ID)).received, [...names, "x.dcm"].sort());
      const answer = await sendPart(later, files.slice(30), true);
      assert.deepEqual([answer.total, answer.success, answer.failed.length], [1, 1, 1]);
      await until(() => blobsOnDisk(dataDir).length === files.length + 1);
    } finally {
      await next.close();
    }
  },
);

coreTest(
  "what has arrived is thrown away with the oldest upload, and when nobody goes on",
  async (site) => {
    const { api, dataDir } = site, files = phantomSeries("short", "MANY-5").slice(0, 17);
    const idOf = (n: number) => String(n).padStart(32, "0");
    for (const [n, file] of files.entries()) await sendPart(api, [file], false, idOf(n));
    assert.deepEqual((await getUploadState(api, idOf(0))).received, []);
    assert.deepEqual((await getUploadState(api, idOf(1))).received, [files[1]!.fileName]);
    await until(() => blobsOnDisk(dataDir).length === 16);

    const db = await openBeside(dataDir), blobs = new DiskBlobs(`${dataDir}/blobs`);
    try {
      const services = { db, blobs, log: () => {} } as unknown as ServiceContext;
      await watchUploads(services).close();
      assert.equal(blobsOnDisk(dataDir).length, 16);
      await db.updateTable("uploads").set({ touched_ms: 0 }).where("name", "!=", idOf(9)).execute();
      await watchUploads(services).close();
      assert.equal(blobsOnDisk(dataDir).length, 1);
      assert.deepEqual((await getUploadState(api, idOf(9))).received, [files[9]!.fileName]);
      await db.updateTable("blobs").set({ size_bytes: 2 ** 36 + 1 }).execute();
      await assert.rejects(sendPart(api, [files[0]!], false, idOf(9)), (error: AppError) => {
        const { reason, max_bytes } = error.details;
        assert.deepEqual([error.code, reason, max_bytes], [
          "input.invalid",
          "too_many_bytes",
          2 ** 36,
        ]);
        return true;
      });
      // the other one gives way
      await sendPart(api, [files[0]!], false, idOf(0));
      assert.deepEqual((await getUploadState(api, idOf(9))).received, []);
    } finally {
      await db.destroy();
    }
  },
);
