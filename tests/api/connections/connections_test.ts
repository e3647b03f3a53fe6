// covers: S-120
// Over 400 lines: its tests share one gate, whose start costs more than most of them.
import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import {
  getConnections,
  getRouting,
  getSentResults,
  savePeer,
  saveRouting,
  sendTestImage,
  testPeer,
  testRouting,
} from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { listSeries } from "@/client/api/reading/series.ts";
import { getPatient, uploadFiles } from "@/client/api/studies/patients.ts";
import { readMultipart } from "@/server/wire/multipart.ts";
import {
  ANY_ROUTING_RULE,
  type PeerPut,
  type Routing,
  type RoutingRule,
} from "@/model/schema/connections/connections.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { Inbox } from "@/server/core/connections/service/inbox/inbox.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import {
  insertInstances,
  insertSeries,
  listInstances,
} from "@/server/core/studies/storage/series.ts";
import { grantCredits, setLicense } from "@/server/core/site/service/license_grant.ts";
import { concat } from "@/server/gate/dimse/pdu.ts";
import { headBytesOf, part10Head } from "@/server/gate/receive/part10.ts";
import {
  blobsOnDisk,
  coreTest,
  openBeside,
  type TestCore,
  withCore,
} from "@/tests/sites/core_site.ts";
import { LateGate, openArchive, sendFiles } from "@/tests/sites/connections/gate_site.ts";
import type { Grid } from "@/server/commands/demo/phantom/grid.ts";
import { COARSE_GRID } from "@/server/commands/demo/phantom/dicom/series.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const SCANNER: PeerPut = {
  name: "Scanner",
  kind: "dicom",
  config: { ae_title: "SCANNER", may_send: true, host: "127.0.0.1", port: 1 },
};

/** A test on a core with a gate to which a scanner may send; a study is complete after a second. */
function gateTest(
  name: string,
  body: (test: TestCore & { port: number }) => Promise<void>,
  isBoth = false,
): void {
  const gate = new LateGate(), options = { gate: { ask: gate.ask, aeTitle: "SULCUS" } };
  const whole = async (test: TestCore) => {
    const { port } = await gate.open(test.dataDir);
    try {
      await savePeer(test.api, null, SCANNER);
      await saveRouting(test.api, { ...await getRouting(test.api), quiet_seconds: 1 });
      await until(async () => (await getConnections(test.api)).gate?.is_running);
      // the gate looks at its settings every second
      await until(async () => await sendFiles(port, "SCANNER", []).then(() => true, () => false));
      await body({ ...test, port });
    } finally {
      await gate.close();
    }
  };
  if (isBoth) coreTest(name, whole, options);
  else Deno.test(name, () => withCore(whole, options));
}

/** The series that came, once each is in one of the states. */
const arrivals = (api: Api, states: readonly string[], count = 1) =>
  until(async () => {
    const { arrivals } = await getConnections(api);
    return arrivals.length === count && arrivals.every(({ state }) => states.includes(state))
      ? arrivals
      : null;
  });

gateTest(
  "a series that a scanner sends becomes a study; what comes twice or late changes nothing or joins it",
  async ({ api, port, dataDir }) => {
    const files = phantomSeries("whole", "P-9"),
      early = files.filter((_, at) => at !== 3 && at < 70),
      late = files.filter((file) => !early.includes(file));
    assert.deepEqual(new Set(await sendFiles(port, "SCANNER", early)), new Set([0]));
    // a slice is missing in between: it waits for those that come late
    const [refused] = await arrivals(api, ["refused", "stored"]);
    assert.equal(refused!.state, "refused");
    assert.equal(refused!.instances, early.length);
    assert.deepEqual(new Set(await sendFiles(port, "SCANNER", late)), new Set([0]));
    const [stored] = await arrivals(api, ["stored"]);
    assert.deepEqual([stored!.pid, stored!.sender, stored!.instances], [
      1,
      "SCANNER",
      files.length,
    ]);
    assert.equal((await getPatient(api, 1)).patient_id, "P-9");
    const { last_hour } = await getConnections(api);
    assert.deepEqual([last_hour.images, last_hour.results], [files.length, 0]);
    assert.ok(last_hour.bytes > 0);
    const blobs = blobsOnDisk(dataDir);
    assert.deepEqual(new Set(await sendFiles(port, "SCANNER", files.slice(0, 5))), new Set([0]));
    // while it is analysed the study stays as it is
    const [waiting] = await arrivals(api, ["waiting"]);
    assert.deepEqual([waiting!.instances, waiting!.reason], [
      files.length + 5,
      "study.being_analyzed",
    ]);
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "job.canceled" })
      .execute();
    await db.destroy();
    await arrivals(api, ["stored"]);
    assert.deepEqual(blobsOnDisk(dataDir), blobs);
    // the same instance with other bytes: what is stored stays, and it is told of
    const [first] = files, changed = first!.bytes.slice();
    changed[changed.length - 1]! ^= 1;
    await sendFiles(port, "SCANNER", [{ bytes: changed }]);
    await until(async () =>
      (await getConnections(api)).log.some(({ event, is_error }) => event === "differs" && is_error)
    );
    assert.deepEqual(blobsOnDisk(dataDir), blobs);
  },
);

gateTest(
  "slices that come after the analysis join their study, which is analysed again",
  async ({ api, port, dataDir }) => {
    const files = phantomSeries("whole", "P-10"), early = files.slice(0, -5);
    await sendFiles(port, "SCANNER", early);
    await arrivals(api, ["stored"]);
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({
      status: "completed",
      finished_at: "2026-01-06T10:00:00Z",
    })
      .execute();
    assert.equal((await getPatient(api, 1)).t1_analysis_status, "completed");
    await sendFiles(port, "SCANNER", files.slice(-5));
    await until(async () => (await listInstances(db, 1)).size === files.length);
    await until(async () => (await getPatient(api, 1)).t1_analysis_status === "waiting");
    assert.equal((await db.selectFrom("analyses").select("id").execute()).length, 2);
    await db.destroy();
  },
);

gateTest(
  "a series with contrast agent that a scanner sends later does not take the place of one without",
  async ({ api, port, dataDir }) => {
    await saveRouting(api, {
      ...await getRouting(api),
      rules: [{ ...ANY_ROUTING_RULE, action: "keep" }],
    });
    const plain = phantomSeries("short", "P-11", { description: "t1_mprage", seriesNumber: 2 });
    const enhanced = phantomSeries("short", "P-11", {
      description: "t1_mprage +Gd",
      seriesNumber: 9,
    });
    await sendFiles(port, "SCANNER", plain);
    await arrivals(api, ["stored"]);
    await sendFiles(port, "SCANNER", enhanced);
    const all = await arrivals(api, ["stored", "refused"], 2);
    assert.deepEqual(all.map(({ reason }) => reason).filter(Boolean), [
      "upload.format_not_supported/other_series_chosen",
    ]);
    // who reads the study is told of it, and may still send it by hand
    assert.deepEqual((await listSeries(api, 1)).refused.map(({ description }) => description), [
      "t1_mprage +Gd",
    ]);
    await uploadFiles(api, enhanced);
    const db = await openBeside(dataDir);
    const active = await db.selectFrom("patients").innerJoin(
      "series",
      "series.id",
      "patients.t1_series_id",
    )
      .select("series.description").executeTakeFirstOrThrow();
    assert.equal(active.description, "t1_mprage +Gd");
    await db.destroy();
  },
);

gateTest(
  "rules keep, refuse and analyse by what the headers say, and are tested before they are saved",
  async ({ api, port }) => {
    const routing = async (...rules: RoutingRule[]): Promise<Routing> => ({
      ...await getRouting(api),
      rules,
    });
    await saveRouting(
      api,
      await routing({ ...ANY_ROUTING_RULE, modality: "mr", sender: "scan", action: "keep" }),
    );
    await sendFiles(port, "SCANNER", phantomSeries("short", "P-1"));
    await arrivals(api, ["stored"]);
    assert.equal((await getPatient(api, 1)).t1_analysis_status, "ready");
    const test = await testRouting(
      api,
      await routing({ ...ANY_ROUTING_RULE, age_from: 100, action: "refuse" }, {
        ...ANY_ROUTING_RULE,
        sender: "SCANNER",
      }),
    );
    assert.deepEqual(test.studies.map(({ pid, rule, action }) => [pid, rule, action]), [[
      1,
      1,
      "analyze",
    ]]);
    await saveRouting(api, await routing({ ...ANY_ROUTING_RULE, action: "refuse" }));
    await sendFiles(
      port,
      "SCANNER",
      phantomSeries("short", "P-2", { studyUid: "1.2.77.1" } as never),
    );
    const all = await arrivals(api, ["stored", "refused"], 2);
    assert.deepEqual(all.map(({ state, reason }) => [state, reason]).sort(), [["refused", "rule"], [
      "stored",
      null,
    ]]);
  },
  true,
);

/** A file in another transfer syntax, which no phantom writer makes; its data set as `change` makes it. */
function inSyntax(
  { bytes }: { bytes: Uint8Array<ArrayBuffer> },
  transferSyntax: string,
  change = (dataSet: Uint8Array) => dataSet,
): { bytes: Uint8Array<ArrayBuffer> } {
  const sopClassUid = "1.2.840.10008.5.1.4.1.1.4", sopInstanceUid = uidIn(bytes);
  const head = part10Head({ sopClassUid, sopInstanceUid, transferSyntax, sender: "" });
  return { bytes: concat([head, change(bytes.subarray(headBytesOf(bytes)!))]) };
}

gateTest(
  "every transfer syntax that comes is stored, or refused in words",
  async ({ api, port }) => {
    await saveRouting(api, {
      ...await getRouting(api),
      rules: [{ ...ANY_ROUTING_RULE, action: "keep" }],
    });
    const encodings = ["big_endian", "rle"] as const;
    for (const encoding of encodings) {
      await sendFiles(port, "SCANNER", phantomSeries("short", encoding, { encoding }));
    }
    const deflated = phantomSeries("short", "deflated").map((file) =>
      inSyntax(file, "1.2.840.10008.1.2.1.99", (dataSet) => deflateRawSync(dataSet))
    );
    await sendFiles(port, "SCANNER", deflated);
    // pixels that are not what their transfer syntax says: JPEG-LS, JPEG 2000
    for (const last of ["80", "90"]) {
      const damaged = phantomSeries("short", last).map((file) =>
        inSyntax(file, `1.2.840.10008.1.2.4.${last}`)
      );
      assert.deepEqual(new Set(await sendFiles(port, "SCANNER", damaged)), new Set([0]));
    }
    const all = await arrivals(api, ["stored", "refused"], encodings.length + 3);
    assert.deepEqual(all.map(({ state, reason }) => `${state} ${reason ?? ""}`.trim()).sort(), [
      "refused upload.format_not_supported/transfer_syntax",
      "refused upload.format_not_supported/transfer_syntax",
      ...encodings.map(() => "stored"),
      "stored",
    ]);
  },
);

gateTest(
  "an image that was filed when the server died is taken after the start, also when its study was stored before it",
  async ({ api, port, dataDir }) => {
    await saveRouting(api, {
      ...await getRouting(api),
      rules: [{ ...ANY_ROUTING_RULE, action: "keep" }],
    });
    const all = phantomSeries("short", "P-8"), [last, ...first] = all.toReversed();
    await sendFiles(port, "SCANNER", first);
    await arrivals(api, ["stored"]);
    // written before the last of them, and brought to its place after they were stored
    const inbox = new InboxFiles(`${dataDir}/inbox`), db = await openBeside(dataDir);
    await Deno.writeFile(`${dataDir}/late.dcm`, last!.bytes);
    const { header } = await headerOfFile(`${dataDir}/late.dcm`);
    const path = inbox.pathOf(header.studyUid, header.instanceUid);
    await until(async () => (await inbox.instancesOf(header.studyUid)).length === 0);
    await Deno.mkdir(inbox.studyFolder(header.studyUid), { recursive: true });
    await Deno.rename(`${dataDir}/late.dcm`, path);
    // and one that was stored, and not removed any more
    const stored = inbox.pathOf(header.studyUid, uidIn(first[0]!.bytes));
    await Deno.writeFile(stored, first[0]!.bytes);
    for (const one of [path, stored]) await Deno.utime(one, 1_700_000_000, 1_700_000_000);
    await new Inbox({ db } as ServiceContext, inbox).recover();
    await until(async () => (await listInstances(db, 1)).size === all.length);
    await until(async () => (await inbox.instancesOf(header.studyUid)).length === 0);
    await db.destroy();
  },
);

gateTest(
  "a study waits while no analysis can be paid for, and is taken when one can",
  async ({ api, port, dataDir }) => {
    const db = await openBeside(dataDir);
    await setLicense(db, { isCounted: true, certType: "CE", expireDate: "2001-01-01" });
    await sendFiles(port, "SCANNER", phantomSeries("short", "P-1"));
    const [waiting] = await arrivals(api, ["waiting"]);
    assert.equal(waiting!.reason, "license.expired");
    await setLicense(db, { expireDate: null });
    await until(async () => (await getConnections(api)).arrivals[0]!.reason === "credit.none");
    await grantCredits(db, 3);
    await arrivals(api, ["stored"]);
    await db.destroy();
  },
);

gateTest(
  "a request for commitment is answered when all is stored, and makes the study complete at once",
  async ({ api, port, dataDir }) => {
    const pacs = await openArchive("SCANNER", ["SULCUS"]);
    try {
      const { peers } = await getConnections(api);
      await savePeer(api, peers[0]!.id, {
        ...SCANNER,
        config: { ...SCANNER.config, port: pacs.gate.port },
      });
      await saveRouting(api, { ...await getRouting(api), quiet_seconds: 3600 });
      assert.deepEqual(await testPeer(api, peers[0]!.id), { is_ok: true, failure: null, text: "" });
      // a picture of nobody, the same each time
      for (let n = 0; n < 2; n++) {
        assert.deepEqual(await sendTestImage(api, peers[0]!.id), {
          is_ok: true,
          failure: null,
          text: "",
        });
      }
      assert.equal(pacs.files().length, 1);
      assert.deepEqual([...Deno.readDirSync(`${dataDir}/inbox/sent`)], []);
      const files = phantomSeries("short", "P-1");
      await sendFiles(port, "SCANNER", files);
      const instances = files.map(({ bytes }) => ({
        sopClassUid: "1.2.840.10008.5.1.4.1.1.4",
        sopInstanceUid: uidIn(bytes),
      }));
      const peer = { host: "127.0.0.1", port, called: "SULCUS", calling: "SCANNER", tls: false };
      const ask = (transactionUid: string, extra: typeof instances = []) =>
        pacs.gate.ask({
          kind: "commit",
          peer,
          transactionUid,
          instances: [...instances, ...extra],
        });
      assert.equal((await ask("1.2.50")).status, 0);
      const result = await until(() =>
        pacs.events().find((event) => event.type === "commit_result")
      );
      assert.ok(result.type === "commit_result");
      assert.deepEqual([result.transactionUid, result.committed.length, result.failed], [
        "1.2.50",
        files.length,
        [],
      ]);
      await arrivals(api, ["stored"]);
      await ask("1.2.51", [{
        sopClassUid: "1.2.840.10008.5.1.4.1.1.4",
        sopInstanceUid: "1.2.3.404",
      }]);
      const partly = await until(() =>
        pacs.events().find((event) =>
          event.type === "commit_result" && event.transactionUid === "1.2.51"
        )
      );
      assert.ok(partly.type === "commit_result");
      assert.deepEqual([partly.committed.length, partly.failed], [files.length, ["1.2.3.404"]]);
      // the number of a stored image under another SOP class is another object
      const [{ sopInstanceUid }] = instances as [(typeof instances)[number]];
      const answered = await until(async () => {
        await pacs.gate.ask({
          kind: "commit",
          peer,
          transactionUid: "1.2.52",
          instances: [
            { sopClassUid: "1.2.840.10008.5.1.4.1.1.2", sopInstanceUid },
            ...instances.slice(1),
          ],
        });
        return pacs.events().find((event) =>
          event.type === "commit_result" && event.transactionUid === "1.2.52"
        );
      });
      assert.ok(answered.type === "commit_result");
      assert.deepEqual([answered.committed.length, answered.failed], [
        files.length - 1,
        [sopInstanceUid],
      ]);

      // what is to be sent waits while the disk is full; what fails for a reason nobody foresaw waits alone
      const config = { ...SCANNER.config, port: pacs.gate.port, research: true };
      await savePeer(api, peers[0]!.id, { ...SCANNER, config });
      const sent = `${dataDir}/inbox/sent`, db = await openBeside(dataDir);
      await Deno.symlink("/dev/full", `${sent}/1-0.dcm`);
      await Deno.mkdir(`${sent}/2-0.dcm/in the way`, { recursive: true });
      const entries = ["", "again", "other"].map((run) => ({
        peerId: peers[0]!.id,
        pid: 1,
        run,
        kind: "images",
      }));
      await db.transaction().execute(async (tx) => {
        await insertOutbox(tx, entries, "2026-01-06T10:00:00Z");
        // days without an answer are no faults of a result
        await tx.updateTable("outbox").set({ attempts: 50 }).execute();
      });
      await db.destroy();
      const results = async () =>
        (await getSentResults(api, 1)).results.toSorted((a, b) => a.id - b.id);
      await until(async () => (await results())[2]?.state === "sent");
      assert.deepEqual((await results())[1]?.last_error, "internal");
      await Deno.remove(`${sent}/2-0.dcm`, { recursive: true });
      const [full, blocked] = await until(async () => {
        const all = await results();
        return all.every(({ state }) => state === "sent" || state === "failed") ? all : null;
      });
      assert.deepEqual([full!.state, full!.attempts, full!.last_error], ["sent", 52, null]);
      assert.deepEqual([blocked!.state, blocked!.last_error], ["sent", null]);
    } finally {
      await pacs.close();
    }
  },
);

/** SOP Instance UID of the meta information. */
function uidIn(bytes: Uint8Array): string {
  const at = bytes.findIndex((_, i) =>
    bytes[i] === 2 && bytes[i + 1] === 0 && bytes[i + 2] === 3 && bytes[i + 4] === 0x55
  );
  const length = bytes[at + 6]!;
  return new TextDecoder().decode(bytes.subarray(at + 8, at + 8 + length)).replace(/\0$/, "");
}

gateTest(
  "DICOMweb takes a study in, finds it and gives its bytes back",
  async ({ api, core, dataDir }) => {
    // more images than a search of studies tells of at once
    const grid: Grid = { ...COARSE_GRID, shape: [32, 36, 112], spacingMm: [6.4, 6.4, 1.6] };
    const files = phantomSeries("short", "P-5", { grid }), ROOT = "/api/v1/dicomweb/studies";
    const call = (path: string, init: RequestInit = {}) =>
      core.fetch(
        new Request(`http://core${path}`, {
          ...init,
          headers: {
            authorization: `Bearer ${api.token}`,
            ...init.headers as Record<string, string>,
          },
        }),
      );
    const stow = async (some: readonly { bytes: Uint8Array<ArrayBuffer> }[]) => {
      const body = new Blob(
        [
          ...some.flatMap((
            { bytes },
          ) => ["--b\r\nContent-Type: application/dicom\r\n\r\n", bytes, "\r\n"]),
          "--b--\r\n",
        ],
      );
      const headers = { "content-type": 'multipart/related; type="application/dicom"; boundary=b' };
      return await call(ROOT, { method: "POST", body, headers });
    };
    const half = Math.floor(files.length / 2);
    for (const some of [files.slice(0, half), files.slice(half)]) {
      const answer = await stow(some);
      assert.equal(answer.status, 200);
      assert.equal((await answer.json())["00081199"].Value.length, some.length);
    }
    assert.equal((await stow([{ bytes: new Uint8Array(500) }])).status, 409);
    await arrivals(api, ["stored"]);
    const json = async (path: string) => await (await call(path)).json();
    // on a slow machine the last files come after the study counts as complete: they are taken in a second round
    const [study, ...others] = await until(async () => {
      const studies = await json(`${ROOT}?PatientID=P-5`);
      return studies[0]["00201208"].Value[0] >= files.length ? studies : null;
    });
    assert.deepEqual([others.length, study["00201208"].Value], [0, [files.length]]);
    assert.equal((await call(`${ROOT}?PatientID=P-6`)).status, 204);
    const uid = study["0020000D"].Value[0],
      [series] = await json(`${ROOT}/${uid}/series?Modality=MR`);
    const folder = `${ROOT}/${uid}/series/${series["0020000E"].Value[0]}`;
    const [instance] = await json(`${folder}/instances?limit=1`),
      sopUid = instance["00080018"].Value[0];
    const [metadata] = await json(`${folder}/instances/${sopUid}/metadata`);
    assert.deepEqual([metadata["00080060"].Value, metadata["7FE00010"]], [["MR"], undefined]);
    const whole = await call(`${ROOT}/${uid}`), given = new Map<string, Uint8Array>();
    for await (const part of readMultipart(whole.body!, whole.headers.get("content-type")!)) {
      const bytes = new Uint8Array(
        await new Response(ReadableStream.from(part.body)).arrayBuffer(),
      );
      given.set(uidIn(bytes), bytes);
    }
    assert.equal(given.size, files.length);
    for (const { bytes } of files) assert.deepEqual(given.get(uidIn(bytes)), bytes);
    const picture = await call(`${folder}/instances/${sopUid}/rendered`);
    assert.deepEqual([picture.status, [...(await picture.bytes()).subarray(0, 2)]], [200, [
      0xff,
      0xd8,
    ]]);
    assert.equal((await call(`${ROOT}/1.2.3.404`)).status, 404);
    for (const level of [`${ROOT}/${uid}`, folder]) {
      const answer = await call(`${level}/instances`);
      assert.deepEqual([(await answer.json()).length, answer.headers.get("warning")], [112, null]);
    }

    await addStudies(dataDir, 100);
    const db = await openBeside(dataDir), blob = [...(await listInstances(db, 1)).values()][0]!;
    const added = await db.selectFrom("patients").select("pid").where(
      "study_uid",
      "like",
      "1.2.3.%",
    ).execute();
    for (const { pid } of added) {
      const seriesUid = `1.2.3.${pid}.1`, createdAt = "2026-01-06T10:00:00Z";
      const one = {
        pid,
        seriesUid,
        kind: "t1" as const,
        description: "T1w",
        volumeBlob: blob,
        createdAt,
      };
      const seriesId = await insertSeries(db, one);
      await insertInstances(db, pid, seriesId, [{ sopUid: `${seriesUid}.1`, blob }]);
    }
    const all = async (query: string) => {
      const answer = await call(`${ROOT}${query}`);
      return [answer.status, (await answer.json()).length, answer.headers.get("warning")];
    };
    assert.deepEqual(await all(""), [
      200,
      100,
      '299 sulcus "There are additional results that can be requested."',
    ]);
    assert.deepEqual(await all("?offset=1"), [200, 100, null]);
    assert.deepEqual(await all("?limit=3"), [200, 3, null]);
    // of a study with another number nothing is read: this one's file is gone
    await db.updateTable("patients").set({ accession_number: "OTHER" }).where(
      "pid",
      "!=",
      added[7]!.pid,
    )
      .execute();
    await db.updateTable("patients").set({ accession_number: "WANTED" }).where(
      "pid",
      "=",
      added[7]!.pid,
    )
      .execute();
    const gone = "0".repeat(64);
    await insertBlobs(db, [{ hash: gone, sizeBytes: 0 }], "2026-01-06T10:00:00Z");
    await db.updateTable("instances").set({ blob: gone }).where("pid", "=", added[90]!.pid)
      .execute();
    await db.destroy();
    assert.deepEqual(await all("?AccessionNumber=WANTED"), [200, 1, null]);
    assert.equal((await core.fetch(new Request(`http://core${ROOT}`))).status, 401);
  },
);
