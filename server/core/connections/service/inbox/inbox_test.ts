// covers: S-120, S-243
import assert from "node:assert/strict";
import { getConnections, getRouting, saveRouting } from "@/client/api/connections/connections.ts";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { ANY_ROUTING_RULE } from "@/model/schema/connections/connections.ts";
import { createCore } from "@/server/core/mod.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { takeEvents } from "@/server/core/connections/service/inbox/gate_events.ts";
import { Inbox } from "@/server/core/connections/service/inbox/inbox.ts";
import { DicomReader } from "@/server/core/dicom/worker/reader.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { listArrivalsOf, noteArrival } from "@/server/core/connections/storage/arrivals.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import { writeGateSettings } from "@/server/core/connections/service/peers.ts";
import { type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { listConnectionLog } from "@/server/core/connections/storage/connection_log.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { EMAIL, nameSite, openBeside, PASSWORD } from "@/tests/sites/core_site.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

const HOUR_MS = 3_600_000;

interface Site {
  dataDir: string;
  db: Database;
  files: InboxFiles;
  log: string[];
  services: ServiceContext;
}

/** A site that does not run: its database and its inbox. */
async function withSite(body: (site: Site) => Promise<void>): Promise<void> {
  const dataDir = await Deno.realPath(await Deno.makeTempDir({ prefix: "sulcus-inbox-" })),
    log: string[] = [];
  nameSite(dataDir, null);
  const db = await openBeside(dataDir);
  try {
    const services = {
      db,
      dataDir,
      log: (level, message, fields) =>
        void log.push(`${level} ${message} ${JSON.stringify(fields)}`),
    } as Pick<ServiceContext, "db" | "dataDir" | "log"> as ServiceContext;
    await body({ dataDir, db, files: new InboxFiles(`${dataDir}/inbox`), log, services });
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Kinds of damage, each with the reason that administrators see. */
const DAMAGE: Record<string, string> = {
  empty: "empty",
  short: "not_dicom",
  random: "not_dicom",
  preamble: "not_dicom",
  cut: "truncated",
  folder: "no_file",
  link: "no_file",
  other: "identifiers",
};

/** Puts one file of each kind of damage into a folder. @returns their names with their reasons. */
async function damageIn(folder: string, good: Uint8Array): Promise<Map<string, string>> {
  const random = new Random(9);
  const noise = Uint8Array.from({ length: 5000 }, () => random.bits() | 1), names = new Map();
  const made: Record<string, Uint8Array | null> = {
    empty: new Uint8Array(0),
    short: good.slice(0, 10),
    random: noise,
    preamble: new Uint8Array([...good.subarray(0, 132), ...noise]),
    cut: good.slice(0, 420),
    // a whole image under another name
    other: good,
  };
  for (const [n, [kind, reason]] of Object.entries(DAMAGE).entries()) {
    const name = `1.2.77.${n}.dcm`, path = `${folder}/${name}`, bytes = made[kind];
    if (kind === "folder") await Deno.mkdir(`${path}/inside`, { recursive: true });
    else if (kind === "link") await Deno.symlink(`${folder}/nowhere`, path);
    else await Deno.writeFile(path, bytes!);
    names.set(name, reason);
  }
  return names;
}

/** Puts a series under its study. @returns the study's UID. */
async function fileSeries(
  files: InboxFiles,
  series: readonly { bytes: Uint8Array }[],
): Promise<string> {
  let study = "";
  for (const { bytes } of series) {
    const path = `${files.folder}/one`;
    await Deno.writeFile(path, bytes);
    const { header } = await headerOfFile(path);
    study = header.studyUid;
    await Deno.mkdir(files.studyFolder(study), { recursive: true });
    await Deno.rename(path, files.pathOf(study, header.instanceUid));
  }
  return study;
}

async function headerOf(files: InboxFiles, bytes: Uint8Array) {
  const path = `${files.folder}/one`;
  await Deno.writeFile(path, bytes);
  return await headerOfFile(path);
}

/** A file with one text in place of another of the same length. */
function renamed(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return Uint8Array.from(text.replaceAll(from, to), (letter) => letter.charCodeAt(0));
}

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

/** Names and reasons of the unusable files in the connection log. */
const logged = async (db: Database) =>
  new Map(
    (await listConnectionLog(db, 100)).filter(({ event, isError }) =>
      event === "unusable" && isError
    )
      .map(({ details }) => [details.file, details.reason]),
  );

const sorted = (map: Map<unknown, unknown>) => [...map].map(String).sort();

Deno.test("a site whose inbox is full of damaged files starts, takes the good study and names the damaged ones", () =>
  withSite(async ({ dataDir, db, files }) => {
    const series = phantomSeries("short", "P-1"), good = series[0]!.bytes;
    const study = await fileSeries(files, series);
    const bad = await damageIn(files.studyFolder(study), good);
    // a file in the place of a study's folder, and damaged ones that are not filed yet
    await Deno.writeFile(`${files.folder}/studies/file`, good);
    await Deno.writeFile(`${files.folder}/received/1.2.78.dcm`, new Uint8Array(0));
    await Deno.mkdir(`${files.folder}/received/1.2.79.dcm`);
    await Deno.mkdir(`${files.folder}/events/1.json`);
    const all = new Map([...bad, ["file", "no_folder"], ["1.2.78.dcm", "empty"], [
      "1.2.79.dcm",
      "no_file",
    ], [
      "1.json",
      "no_file",
    ]]);
    await addQuickUser(db, {
      email: EMAIL,
      password: PASSWORD,
      name: "Administrator",
      isMaintenance: true,
    });
    const lines: string[] = [];
    const core = await createCore({
      dataDir,
      workers: 0,
      gate: { ask: new LateGate().ask, aeTitle: "SULCUS" },
      log: (level, _message, fields) =>
        void lines.push(`${level} ${fields?.file} ${fields?.reason}`),
    });
    try {
      const open: Api = { send: core.fetch, origin: "http://core" };
      const api = {
        ...open,
        token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
      };
      await saveRouting(api, {
        ...await getRouting(api),
        quiet_seconds: 1,
        rules: [{ ...ANY_ROUTING_RULE, action: "keep" }],
      });
      const [arrival] = await until(async () => {
        const { arrivals } = await getConnections(api);
        return arrivals.some(({ state }) => state === "stored") ? arrivals : null;
      });
      assert.deepEqual([arrival!.instances, arrival!.pid], [series.length, 1]);
      assert.equal((await getPatient(api, 1)).patient_id, "P-1");
      await until(async () => (await logged(db)).size >= all.size);
      assert.deepEqual(sorted(await logged(db)), sorted(all));
      for (const [name, reason] of all) assert.ok(lines.includes(`warn ${name} ${reason}`), name);
      // nothing is deleted: all of it is aside, as it came
      assert.deepEqual(namesIn(`${files.folder}/unusable`), [...all.keys()].sort());
      assert.deepEqual(await Deno.readFile(`${files.folder}/unusable/file`), good);
      assert.deepEqual(namesIn(`${files.folder}/unusable/1.2.77.5.dcm`), ["inside"]);
    } finally {
      await core.close();
    }
  }));

Deno.test("a file that is set aside does not take the place of an earlier one, and is kept from then on", () =>
  withSite(async ({ db, files, services }) => {
    const inbox = new Inbox(services, files), path = `${files.folder}/received/1.2.3.dcm`;
    // somebody has cleaned up
    await Deno.remove(`${files.folder}/unusable`);
    for (const byte of [1, 2, 3]) {
      await Deno.writeFile(path, new Uint8Array([byte]));
      await Deno.utime(path, 1_700_000_000, 1_700_000_000);
      assert.equal(await inbox.file(), false);
    }
    await Deno.symlink("/nowhere", `${files.folder}/unusable/link`);
    await Deno.mkdir(`${files.folder}/unusable/folder/inside`, { recursive: true });
    const aside = namesIn(`${files.folder}/unusable`);
    assert.equal(aside.length, 5);
    assert.equal((await listConnectionLog(db, 9)).length, 3);
    await files.removeAside(Date.now() - 86_400_000);
    assert.deepEqual(namesIn(`${files.folder}/unusable`), aside);
    // a folder is left to the administrators
    await files.removeAside(Date.now() + 1000);
    assert.deepEqual(namesIn(`${files.folder}/unusable`), ["folder"]);
  }));

Deno.test("what is in the way of an image that is filed is set aside", () =>
  withSite(async ({ db, files, services }) => {
    const inbox = new Inbox(services, files), [first, second] = phantomSeries("short", "P-2");
    const study = await fileSeries(files, [first!]), [uid] = await files.instancesOf(study);
    await Deno.rename(files.pathOf(study, uid!), `${files.folder}/received/${uid}.dcm`);
    await Deno.mkdir(files.pathOf(study, uid!));
    await inbox.file();
    assert.deepEqual(await files.instancesOf(study), [uid]);
    await files.removeStudy(study);
    await Deno.writeFile(files.studyFolder(study), new Uint8Array([1]));
    await Deno.writeFile(`${files.folder}/other`, second!.bytes);
    const { instanceUid } = (await headerOfFile(`${files.folder}/other`)).header;
    await Deno.rename(`${files.folder}/other`, `${files.folder}/received/${instanceUid}.dcm`);
    assert.deepEqual(await files.instancesOf(study), []);
    await inbox.file();
    assert.deepEqual(await files.instancesOf(study), [instanceUid]);
    assert.deepEqual([...(await logged(db)).values()].sort(), ["no_file", "no_folder"]);
    assert.equal((await listArrivalsOf(db, study))[0]!.instances, 2);
  }));

Deno.test("a folder that cannot be read is no reason to set files aside, nor to stop the start", () =>
  withSite(async ({ db, files, log, services }) => {
    const study = await fileSeries(files, phantomSeries("short", "P-3").slice(0, 2));
    await Deno.rename(`${files.folder}/studies`, `${files.folder}/away`);
    await Deno.symlink(`${files.folder}/studies`, `${files.folder}/studies`);
    await new Inbox(services, files).recover();
    assert.equal(log.length, 1);
    assert.match(log[0]!, /^error Cannot look through the inbox/);
    assert.deepEqual([(await logged(db)).size, namesIn(`${files.folder}/unusable`)], [0, []]);
    await Deno.remove(`${files.folder}/studies`);
    await Deno.rename(`${files.folder}/away`, `${files.folder}/studies`);
    await new Inbox(services, files).recover();
    assert.deepEqual((await listArrivalsOf(db, study)).map(({ instances }) => instances), [2]);
  }));

Deno.test("a site starts while its inbox cannot be written to, and takes what waits when it can", () =>
  withSite(async ({ dataDir, files, log }) => {
    const study = await fileSeries(files, phantomSeries("short", "P-4").slice(0, 2));
    await Deno.rename(files.folder, `${dataDir}/away`);
    await Deno.symlink(files.folder, files.folder);
    const core = await createCore({
      dataDir,
      workers: 0,
      gate: { ask: new LateGate().ask, aeTitle: "SULCUS" },
      log: (level, message) => void log.push(`${level} ${message}`),
    });
    await core.close();
    assert.ok(log.includes("error Cannot look through the inbox"), log.join("\n"));
    await Deno.remove(files.folder);
    await Deno.rename(`${dataDir}/away`, files.folder);
    assert.equal((await files.instancesOf(study)).length, 2);
  }));

Deno.test("two studies whose series have the same number are both taken, whichever comes first", () =>
  withSite(async ({ db, files, services }) => {
    const [slice] = phantomSeries("short", "P-6"), { header } = await headerOf(files, slice!.bytes);
    const { studyUid, instanceUid } = header;
    const other = (uid: string) => uid.slice(0, -1) + (Number(uid.at(-1)) + 1) % 10;
    const studies = [studyUid, other(studyUid)];
    const copy = renamed(slice!.bytes, studyUid, other(studyUid));
    await fileSeries(files, [slice!]);
    await fileSeries(files, [{ bytes: renamed(copy, instanceUid, other(instanceUid)) }]);
    const inbox = new Inbox(services, files);
    await inbox.recover();
    assert.deepEqual([...(await inbox.open()).values()].sort(), studies.toSorted());
    for (const study of studies) {
      const [uid] = await files.instancesOf(study);
      await Deno.writeFile(files.pathOf(study, uid!), new Uint8Array(0));
    }
    await inbox.take(new Set(studies));
    for (const study of studies) {
      const rows = await listArrivalsOf(db, study);
      assert.deepEqual(rows.map(({ state, seriesUid }) => [state, seriesUid]), [[
        "refused",
        header.seriesUid,
      ]]);
    }
    assert.equal((await inbox.open()).size, 0);
  }));

Deno.test("a series of which no file can be read is refused, not counted as stored", () =>
  withSite(async ({ db, files, services }) => {
    const study = await fileSeries(files, phantomSeries("short", "P-5").slice(0, 1));
    const inbox = new Inbox(services, files);
    await inbox.recover();
    const [uid] = await files.instancesOf(study);
    await Deno.writeFile(files.pathOf(study, uid!), new Uint8Array(0));
    assert.deepEqual(await inbox.take(new Set([study])), []);
    assert.deepEqual(
      (await listArrivalsOf(db, study)).map(({ state, reason }) => [state, reason]),
      [
        ["refused", "unusable"],
      ],
    );
    assert.deepEqual(sorted(await logged(db)), [`${uid}.dcm,empty`]);
    // and one whose file is gone
    await noteArrival(db, (await listName(db))!, {
      seriesUid: "1.2.9.1",
      studyUid: "1.2.9",
      sender: "",
      description: "",
      instances: 1,
      lastMs: 1,
    });
    await inbox.take(new Set(["1.2.9"]));
    assert.equal((await listArrivalsOf(db, "1.2.9"))[0]!.state, "refused");
  }));

Deno.test("settings of the gate that are written at the same time are whole, and the latest stay", () =>
  withSite(async ({ db, dataDir, files, services }) => {
    await Deno.mkdir(files.folder, { recursive: true });
    const gate = { inbox: files.folder, aeTitle: "SULCUS" } as ServiceContext["gate"];
    const site = { ...services, dataDir, diskLimits: { warn: 100, error: 100 }, gate };
    const names = Array.from({ length: 30 }, (_, n) => `MR${n}`);
    await Promise.all(names.map(async (name) => {
      const config = { ae_title: name, may_send: true };
      await writePeer(db, null, { name, kind: "dicom", config, secret: null }, "");
      await writeGateSettings(site);
    }));
    const settings = await files.read<GateSettings>(INBOX.settings);
    assert.deepEqual(
      settings?.senders.map(({ aeTitle }) => aeTitle).toSorted(),
      names.toSorted(),
    );
  }));

Deno.test("a file that vanishes while its study is stored does not fail the others, which are judged without it", () =>
  withSite(async ({ dataDir, db, files, services }) => {
    const study = await fileSeries(files, phantomSeries("short", "P-6").slice(0, 3));
    const [gone, ...others] = await files.instancesOf(study);
    // the site's own store, before which somebody removes the first file
    class LateBlobs extends DiskBlobs {
      #isFirst = true;
      override stage(...args: Parameters<DiskBlobs["stage"]>) {
        if (this.#isFirst) Deno.removeSync(files.pathOf(study, gone!));
        this.#isFirst = false;
        return super.stage(...args);
      }
    }
    const blobs = new LateBlobs(`${dataDir}/blobs`);
    const inbox = new Inbox({ ...services, blobs }, files);
    await inbox.recover();
    await inbox.take(new Set([study]));
    assert.deepEqual(sorted(await logged(db)), [`${gone}.dcm,vanished`]);
    assert.deepEqual(await files.instancesOf(study), others);
    assert.deepEqual(
      (await listArrivalsOf(db, study)).map(({ state, reason }) => [state, reason]),
      [
        ["refused", "upload.format_not_supported/too_few_slices"],
      ],
    );
  }));

/** Name of the inbox in the rows. */
const listName = async (db: Database) =>
  (await db.selectFrom("arrivals").select("inbox").executeTakeFirst())?.inbox;

/** Puts a series where the gate leaves it, an hour after its bytes were written. @returns its study's UID. */
async function receiveSeries(
  files: InboxFiles,
  series: readonly { bytes: Uint8Array }[],
): Promise<string> {
  const study = await fileSeries(files, series), hourAgo = Date.now() / 1000 - 3600;
  for (const uid of await files.instancesOf(study)) {
    await Deno.utime(files.pathOf(study, uid), hourAgo, hourAgo);
    await Deno.rename(files.pathOf(study, uid), `${files.folder}/received/${uid}.dcm`);
  }
  return study;
}

Deno.test("a study is not complete while its files are filed more slowly than its quiet time", () =>
  withSite(async ({ db, files, services }) => {
    const series = phantomSeries("short", "P-7").slice(0, 4),
      study = await receiveSeries(files, series);
    const slowMs = 100;
    /** Files one object a call, slowly. */
    class SlowFiles extends InboxFiles {
      override async arrived() {
        return (await super.arrived(Infinity)).slice(0, 1);
      }
      override async file(...args: Parameters<InboxFiles["file"]>) {
        const filed = await super.file(...args);
        await new Promise((resolve) => setTimeout(resolve, slowMs));
        return filed;
      }
    }
    const inbox = new Inbox(services, new SlowFiles(files.folder));
    for (let n = 1; n <= series.length; n++) {
      const beforeMs = Date.now();
      await inbox.file();
      const [arrival] = await listArrivalsOf(db, study);
      assert.equal(arrival!.instances, n);
      assert.ok(
        arrival!.lastMs >= beforeMs + slowMs - 10,
        "it is quiet from the end of its filing",
      );
      assert.deepEqual(await inbox.take(), []);
      assert.equal(
        (await listArrivalsOf(db, study))[0]!.state,
        "arriving",
        "it waits for more files",
      );
    }
  }));

Deno.test("an event of the gate that is no file does not stop the others", () =>
  withSite(async ({ db, files, services }) => {
    await Deno.mkdir(`${files.folder}/events/1.json`);
    const event = {
      type: "rejected",
      at: "2026-01-06T10:00:00Z",
      address: "192.0.2.1",
      calling: "X",
    };
    await Deno.writeTextFile(
      `${files.folder}/events/2.json`,
      JSON.stringify({ ...event, called: "Y", reason: "calling_unknown", count: 1 }),
    );
    await takeEvents(services, files);
    assert.deepEqual((await listConnectionLog(db, 9)).map(({ event }) => event).sort(), [
      "rejected",
      "unusable",
    ]);
    assert.deepEqual(namesIn(`${files.folder}/events`), []);
  }));

/** A converter that is killed over its first `times` questions, and then there is none. */
async function dyingConverter(socket: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const listener = Deno.listen({ transport: "unix", path: socket });
    (await listener.accept()).close();
    listener.close();
    await Deno.remove(socket).catch(() => {});
  }
}

Deno.test("a study over which the converter ended waits and is stored later, and is refused only after several attempts", () =>
  withSite(async ({ dataDir, db, files, services }) => {
    const blobs = new DiskBlobs(`${dataDir}/blobs`), converter = `${dataDir}/converter.sock`;
    const inbox = new Inbox(
      { ...services, blobs, converter, publish: () => {}, wakeJobs: () => {} },
      files,
      1,
    );
    const stateOf = async (study: string) =>
      (await listArrivalsOf(db, study)).map(({ state, reason }) => [state, reason]);
    const waiting = [["waiting", "upload.format_not_supported/reading_ended"]];

    const series = phantomSeries("short", "P-8"), study = await fileSeries(files, series);
    await inbox.recover();
    // each attempt asks twice
    const dying = dyingConverter(converter, 4);
    for (let attempt = 1; attempt <= 2; attempt++) {
      await until(async () => {
        await inbox.take(new Set([study]));
        return JSON.stringify(await stateOf(study)) === JSON.stringify(waiting);
      });
      assert.equal((await files.instancesOf(study)).length, series.length, "all are kept");
    }
    await dying;
    await until(async () => (await inbox.take(new Set([study]))).length === 1);
    assert.deepEqual(await stateOf(study), [["stored", null]]);

    const poison = await fileSeries(files, phantomSeries("short", "P-9"));
    await inbox.recover();
    const killed = dyingConverter(converter, 12);
    await until(async () => {
      await inbox.take(new Set([poison]));
      return (await stateOf(poison))[0]![0] === "refused";
    });
    // six attempts, and the files stay for an administrator
    await killed;
    assert.deepEqual(await stateOf(poison), [["refused", waiting[0]![1]]]);
    assert.equal((await files.instancesOf(poison)).length, series.length);
  }));

Deno.test("a study waits while no file can be read, and not as long as an exiting converter had made it wait", () =>
  withSite(async ({ dataDir, db, files, services }) => {
    const blobs = new DiskBlobs(`${dataDir}/blobs`), converter = `${dataDir}/converter.sock`;
    const shared: ServiceContext = {
      ...services,
      blobs,
      converter,
      publish: () => {},
      wakeJobs: () => {},
    };
    const inbox = new Inbox(shared, files, HOUR_MS);
    const now = performance.now;
    let aheadMs = 0;
    performance.now = () => now.call(performance) + aheadMs;
    try {
      const series = phantomSeries("short", "P-10"), study = await fileSeries(files, series);
      await inbox.recover();
      const state = async () => (await listArrivalsOf(db, study))[0]!;
      const take = async () => {
        await inbox.take(new Set([study]));
        return await state();
      };
      const dying = dyingConverter(converter, 8);
      for (let attempt = 1; attempt <= 4; attempt++) {
        await until(async () => (await take()).state === "waiting");
        aheadMs += 2 ** (attempt - 1) * HOUR_MS;
      }
      await dying;
      const reader = new DicomReader({ folders: [], log: () => {} });
      reader.close();
      shared.reader = reader;
      await until(async () => (await take()).reason === "server.busy");
      assert.equal((await state()).state, "waiting");
      assert.equal((await files.instancesOf(study)).length, series.length);
      delete shared.reader;
      aheadMs += HOUR_MS;
      assert.equal((await take()).state, "stored");
    } finally {
      performance.now = now;
    }
  }));
