// covers: S-210, S-211, S-212, S-213
import assert from "node:assert/strict";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import {
  cancelRegistry,
  getRegistry,
  getRegistryFile,
  getRegistryProgress,
  startRegistry,
} from "@/client/api/report/registry.ts";
import { MIN_PERSONS } from "@/model/registry/cells.ts";
import { registryColumns, registryHead } from "@/model/registry/columns.ts";
import type { RegistryRequest } from "@/model/schema/report/registry.ts";
import { Random } from "@/model/random.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertText } from "@/server/core/reports/storage/report_text.ts";
import { currentResults } from "@/server/core/reports/service/signed_text.ts";
import { addDemoPids } from "@/server/core/site/service/demo_patients.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudies, newStudy, setCompleted } from "@/tests/sites/stored_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

const RESULTS: AnalysisResults = {
  volumesMm3: Array.from({ length: 105 }, (_, label) => label === 0 ? 0 : 3000 + label),
  icvMm3: 1_500_000,
  shape: [1, 1, 1],
  rasFromIjkRows: [],
  quality: { grade: "A", warnings: [] },
};

/** The text of a finished file. */
async function made(api: Api, request: RegistryRequest): Promise<{ id: string; text: string }> {
  const id = await startRegistry(api, request);
  let file: Response | undefined;
  await until(async () => {
    const answer = await getRegistryFile(api, id);
    if ("file" in answer) file = answer.file;
    return file !== undefined;
  });
  const type = request.format === "json" ? "application/json" : "text/csv; charset=utf-8";
  assert.equal(file!.headers.get("content-type"), type);
  assert.equal(
    file!.headers.get("content-disposition"),
    `attachment; filename="registry.${request.format}"`,
  );
  return { id, text: await file!.text() };
}

const SYLLABLES = "bra kel zov tir mun qua dez hyl pox wug".split(" ");
const SCRIPTS = ["김이박최정강조윤", "金李朴崔鄭趙山田", "أبتثجحخدرزس", "ЖЩЮЯФЭЦЧШ", "กขคงจฉชซ"];

/** A random name, of Latin syllables or of another script. */
function randomName(random: Random, script = Math.floor(random.uniform() * 9)): string {
  const of = (letters: readonly string[], count: number) =>
    Array.from({ length: count }, () => letters[Math.floor(random.uniform() * letters.length)])
      .join("");
  const other = SCRIPTS[script];
  if (other === undefined) return `${of(SYLLABLES, 3)}^${of(SYLLABLES, 3)}`;
  return `${of(SYLLABLES, 3)}^${of(SYLLABLES, 2)}x=${of([...other], 2)}^${of([...other], 3)}`;
}

/** Attributes of a header with an operator's name, as DICOM JSON. */
function attributesOf(operator: string): string {
  const [Alphabetic, Ideographic] = operator.split("=");
  const value = { Alphabetic, ...Ideographic && { Ideographic } };
  return JSON.stringify({ "00081070": { vr: "PN", Value: [value] }, "00080060": { vr: "CS" } });
}

/** A site with random people, and everything in it that could say who somebody is. */
async function addPeople(dataDir: string, db: Database, count: number): Promise<Set<string>> {
  const random = new Random(count), secrets = new Set<string>();
  const secret = (text: string) => {
    for (const part of text.split(/[\^=]/)) if ([...part].length >= 2) secrets.add(part);
    return text;
  };
  const digits = (n: number) =>
    Array.from({ length: n }, () => Math.floor(random.uniform() * 10)).join("");
  const day = (from: number, to: number) =>
    new Date(Date.UTC(from, 0, 1) + random.uniform() * (to - from) * 365 * 86_400_000)
      .toISOString().slice(0, 10);
  for (let n = 1; n <= count; n++) {
    const studyDate = secret(day(2022, 2026)), birthDate = secret(day(1935, 1990));
    const patientName = secret(randomName(random)), physician = secret(randomName(random));
    const age = Number(studyDate.slice(0, 4)) - Number(birthDate.slice(0, 4)) -
      (studyDate.slice(5) < birthDate.slice(5) ? 1 : 0);
    const pid = await insertPatient(db, {
      ...newStudy(n),
      ...{ patientName, birthDate, studyDate, age },
      studyUid: secret(`1.2.840.${digits(6)}.${digits(5)}`),
      patientId: secret(`ID${digits(6)}`),
      sex: random.uniform() < 0.5 ? "male" : "female",
    });
    await setCompleted(dataDir, pid, `${studyDate}T10:11:12Z`, "t1", RESULTS);
    const series_uid = secret(`1.2.276.${digits(7)}.${n}`), serial = secret(`SN${digits(6)}`);
    await db.updateTable("series").set({
      series_uid,
      description: secret(`desc${digits(6)}`),
      scanner: n % 7 === 0 ? `SIEMENS ${patientName.split("^")[0]}` : `SIEMENS Skyra ${serial}`,
      protocol: "3 T, TR 2300, 1 × 1 × 1 mm",
    }).where("pid", "=", pid).execute();
    await db.updateTable("analyses").set({ engine_version: "sulcus-engine 0.1.0" })
      .where("pid", "=", pid).execute();
    const { id: series_id } = await db.selectFrom("series").select("id").where("pid", "=", pid)
      .executeTakeFirstOrThrow();
    await db.updateTable("patients").set({ accession_number: secret(`ACC${digits(6)}`) })
      .where("pid", "=", pid).execute();
    const operator = secret(randomName(random));
    await db.insertInto("series_headers").values({
      ...{ series_id, pid, patient_id: "", patient_name: "", birth_date: "", sex: "" },
      ...{ study_date: "", study_time: "", accession_number: "", study_description: "" },
      ...{ modality: "MR", series_number: "", body_part: "", attributes: attributesOf(operator) },
      study_id: secret(`ST${digits(6)}`),
      referring_physician: physician,
    }).execute();
    const { accession_number, patient_id } = await db.selectFrom("patients").selectAll()
      .where("pid", "=", pid).executeTakeFirstOrThrow();
    const plain = (name: string) => name.split("=").at(-1)!.replace("^", " ");
    const inside = [
      null,
      plain(patientName),
      plain(physician).toUpperCase(),
      patient_id,
      accession_number!.toLowerCase(),
      studyDate,
      series_uid,
      plain(operator),
    ][n % 8]!;
    const key = (await currentResults(db, await mustFindPatient(db, pid))).key;
    await insertText(db, pid, {
      ...{ version: 1, state: "signed", language: "en", author: "Administrator", results: key },
      text: inside ? `Atrophy, see ${inside}.` : "=1+1 Atrophy of both hippocampi, 3.25 mL.",
      created_at: `${studyDate}T12:00:00Z`,
    }, 1);
  }
  return secrets;
}

/** Cells of a CSV file, row by row; quoted cells may contain commas, quotes and line breaks. */
function csvCells(text: string): string[][] {
  const rows: string[][] = [[]];
  for (
    const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|$)/g)
  ) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === "") break;
    if (end === "\r\n") rows.push([]);
  }
  return rows.filter((row) => row.join("") !== "");
}

/** The same cells of a JSON file, in its columns' order. */
const jsonCells = (studies: readonly Record<string, Record<string, unknown>>[], head: string[]) =>
  studies.map((study) =>
    head.map((name) => {
      const [category, key] = name.split(".") as [string, string], value = study[category]![key];
      return value === null ? "" : String(value);
    })
  );

coreTest(
  "registry: CSV and JSON have the same cells of every study",
  async ({ api, dataDir }) => {
    const db = await openBeside(dataDir);
    await addPeople(dataDir, db, 24);
    for (const figures of ["volumes", "percentiles"] as const) {
      const request = { figures, has_texts: figures === "volumes" };
      const csv = await made(api, { ...request, format: "csv" });
      const json = await made(api, { ...request, format: "json" });
      const [head, ...rows] = csvCells(csv.text);
      const others = jsonCells(JSON.parse(json.text).studies, head!);
      assert.equal(rows.length, 24);
      // a spreadsheet shows the apostrophe before a formula as text
      const cells = rows.map((row) => row.map((cell) => cell.replace(/^'=/, "=")));
      assert.deepEqual(cells.map(String).sort(), others.map(String).sort());
      assert.deepEqual(
        head,
        registryHead(registryColumns(figures, request.has_texts)),
      );
    }
    await db.destroy();
  },
  { workers: 1 },
);

coreTest(
  "registry: no name, identifier or date of the site is in any file, in any script",
  async ({ api, dataDir }) => {
    const count = 42, db = await openBeside(dataDir);
    const secrets = await addPeople(dataDir, db, count);
    assert.ok(secrets.size > 10 * count);
    for (const format of ["csv", "json"] as const) {
      for (const figures of ["volumes", "percentiles"] as const) {
        for (const has_texts of figures === "volumes" ? [true, false] : [false]) {
          const { text } = await made(api, { format, figures, has_texts });
          const lower = text.toLowerCase();
          const found = [...secrets].filter((secret) => lower.includes(secret.toLowerCase()));
          assert.deepEqual(found, [], `${format} ${figures}`);
          assert.doesNotMatch(text, /\d{4}-\d{2}-\d{2}|\d+\.\d+\.\d+|Administrator|@/);
          if (format === "csv") continue;
          const { studies } = JSON.parse(text) as {
            studies: Record<string, Record<string, unknown>>[];
          };
          assert.equal(studies.length, count);
          const shared = Map.groupBy(
            studies,
            ({ study, demographics }) => JSON.stringify([study, demographics]),
          );
          // each person has one study here
          for (const [cell, of] of shared) {
            const { detail_withheld } = of[0]!.study!;
            assert.ok(of.length >= MIN_PERSONS || detail_withheld === 4, cell);
          }
          assert.equal(studies.some(({ report }) => report !== undefined), has_texts);
          const texts = studies.flatMap(({ report }) => report?.signed_text ?? []);
          const why = new Set(studies.map(({ report }) => report?.signed_text_withheld));
          if (!has_texts) continue;
          assert.equal(texts.length, Math.floor(count / 8));
          for (const reason of ["name", "identifier", "date"]) assert.ok(why.has(reason), reason);
        }
      }
    }
    // a text is no formula of a spreadsheet
    const { text } = await made(api, { format: "csv", figures: "volumes", has_texts: true });
    assert.ok(text.includes("'=1+1 Atrophy") && !text.includes(",=1+1"));
    assert.deepEqual(
      text.split("\r\n")[0]!.split(","),
      registryHead(registryColumns("volumes", true)),
    );
    await db.destroy();
  },
  { workers: 1 },
);

coreTest(
  "registry: counted before, audited, cancelled, of one administrator, without demo patients",
  async ({ api, open, dataDir }) => {
    const nothing = await getRegistry(api);
    assert.deepEqual([nothing.studies, nothing.persons, nothing.current], [0, 0, null]);
    await addStudies(dataDir, 6, (n) => ({ patientId: n < 3 ? "P-1" : `P-${n}` }));
    for (const pid of [1, 2, 3, 4, 6]) {
      await setCompleted(dataDir, pid, "2026-02-03T04:05:06Z", "t1", RESULTS);
    }
    const db = await openBeside(dataDir);
    await db.insertInto("labels").values({ label_name: "Demo", name_key: "demo" }).execute();
    const { id: label_id } = await db.selectFrom("labels").select("id").executeTakeFirstOrThrow();
    await db.insertInto("patient_labels").values({ pid: 4, label_id }).execute();
    // a user has taken the label off this one
    await addDemoPids(db, [6]);
    const { studies, persons, levels, min_persons } = await getRegistry(api);
    assert.deepEqual([studies, persons, min_persons], [3, 2, MIN_PERSONS]);
    assert.deepEqual(levels, [0, 0, 0, 0, 3]);

    const request = { format: "json", figures: "volumes", has_texts: false } as const;
    const { id, text } = await made(api, request);
    assert.deepEqual(
      (JSON.parse(text).studies as { study: { detail_withheld: number } }[]).map(({ study }) =>
        study.detail_withheld
      ),
      [4, 4, 4],
    );
    const { current } = await getRegistry(api);
    assert.deepEqual([current!.id, current!.progress.status], [id, "done"]);
    const credentials = { email: "second@hospital.test", password: "correct-horse-9" };
    await addQuickUser(db, { ...credentials, name: "Second", isMaintenance: true });
    const other = { ...open, token: (await login(open, credentials)).access_token };
    assert.equal((await getRegistry(other)).current, null);
    for (const call of [getRegistryFile, getRegistryProgress, cancelRegistry]) {
      await assert.rejects(call(other, id), { code: "entity.not_found" });
    }
    await cancelRegistry(api, id);
    await assert.rejects(getRegistryFile(api, id), { code: "entity.not_found" });
    assert.equal((await getRegistry(api)).current, null);
    for (
      const wrong of [{}, { ...request, figures: "percentiles", has_texts: true }, {
        ...request,
        format: "xlsx",
      }, { ...request, figures: "both" }]
    ) {
      await assert.rejects(startRegistry(api, wrong as RegistryRequest), { code: "input.invalid" });
    }
    const audited = await db.selectFrom("audit").select(["event", "outcome", "details"])
      .where("event", "like", "registry.%").where("outcome", "=", "ok").orderBy("seq").execute();
    const [start, ...downloads] = audited;
    assert.equal(start!.event, "registry.start");
    const { texts, figures, format } = JSON.parse(start!.details);
    assert.deepEqual([texts, figures, format], ["false", "volumes", "json"]);
    assert.deepEqual(
      [...new Set(downloads.map(({ event }) => event))],
      ["registry.download"],
    );
    await db.destroy();
  },
  { workers: 1 },
);
