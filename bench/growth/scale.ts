/**
 * Growth with the archive: size of analysed studies (T1w of 192 slices, FLAIR of 160) with the
 * rows of a real upload and analysis, in SQLite and, if installed, PostgreSQL. Also the duration of
 * the search for unreferenced files, which runs in the background after each start, without its
 * pauses, and of listing the files on disk. The figures are used in docs/site/grow.md.
 *
 * deno task bench scale [STUDIES] [--json FILE]; 1,000 studies by default.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import { dirname } from "node:path";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { blobsIn, deleteUnusedBlobs, insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { blobPath, listBlobFiles } from "@/server/core/blobs/blob_file.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import {
  insertPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertInstances, insertSeries } from "@/server/core/studies/storage/series.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const SERIES = [{ kind: "t1", slices: 192 }, { kind: "t2", slices: 160 }] as const;
/** Length of the results and stage records of a real study, in characters. */
const RESULT_CHARS = { t1: 3900, t2: 920 }, AT = "2026-01-06T00:00:00Z", RESULT_FILES = 12;
const studies = Number(Deno.args.find((one) => /^\d+$/.test(one)) ?? 1000),
  make = rowMaker("scale", 1);

const hashOf = (name: string) => createHash("sha256").update(name).digest("hex");

async function fill(db: Database): Promise<void> {
  for (let n = 1; n <= studies; n++) {
    await db.transaction().execute(async (tx) => {
      const pid = await insertPatient(tx, newStudy(n));
      for (const { kind, slices } of SERIES) {
        // as long as the UIDs of scanners
        const uid = (k: number) => `1.3.12.2.1107.5.2.43.66${n}.2026010608301512345${k}.${slices}`;
        const instances = Array.from({ length: slices }, (_, k) => ({
          sopUid: uid(k),
          blob: hashOf(uid(k)),
        }));
        const files = Array.from({ length: RESULT_FILES / 2 }, (_, k) => hashOf(`${n}${kind}${k}`));
        const hashes = [...instances.map(({ blob }) => blob), ...files];
        await insertBlobs(tx, hashes.map((hash) => ({ hash, sizeBytes: 131_000 })), AT);
        const seriesId = await insertSeries(tx, {
          pid,
          seriesUid: uid(0).slice(0, -4),
          kind,
          description: "t1_mprage_sag_p2_iso",
          volumeBlob: files[0]!,
          createdAt: AT,
        });
        await insertInstances(tx, pid, seriesId, instances);
        await setActiveSeries(tx, pid, kind, seriesId);
        const id = await insertAnalysis(tx, {
          pid,
          seriesId,
          kind,
          parameters: {},
          inputHashes: instances.map(({ blob }) => blob),
          requestedAt: AT,
          requestedBy: null,
        });
        await setLatestAnalysis(tx, pid, kind, id);
        const results = JSON.stringify({ text: "x".repeat(RESULT_CHARS[kind]) });
        await tx.updateTable("analyses").set({ status: "completed", finished_at: AT, results })
          .where("id", "=", id).execute();
      }
    });
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

const PREFIXES = Array.from({ length: 65_536 }, (_, n) => n.toString(16).padStart(4, "0"));

async function measure(name: string, db: Database, size: () => Promise<number>): Promise<Row[]> {
  const before = await size();
  await fill(db);
  const files = studies * (RESULT_FILES + SERIES.reduce((sum, { slices }) => sum + slices, 0));
  const unused = await secondsOf(() => deleteUnusedBlobs(db, () => Promise.resolve()));
  const named = await secondsOf(async () => {
    for (const prefix of PREFIXES) await blobsIn(db)(prefix);
  });
  return [
    make(`${name}: a study of 352 slices`, ((await size()) - before) / studies / 1000, "kB"),
    make(
      `${name}: the search for leftovers looks for rows that nothing refers to, a million files`,
      unused / files * 1e6,
      "s",
    ),
    make(
      `${name}: and asks for the names of the others, a million files`,
      named / files * 1e6,
      "s",
    ),
  ];
}

/** Lists a store's files, as the search for leftovers does, and stats each, as a backup does. */
async function measureNames(folder: string): Promise<Row[]> {
  const hashes = Array.from({ length: FILES }, (_, n) => hashOf(String(n)));
  for (const hash of hashes) {
    const path = blobPath(folder, hash);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeFileSync(path, new Uint8Array(0));
  }
  const listed = await secondsOf(() => listBlobFiles(folder));
  const asked = await secondsOf(async () => {
    for (const hash of hashes) await Deno.stat(blobPath(folder, hash));
  });
  return [
    make("names of files listed, a million", listed / FILES * 1e6, "s"),
    make("names of files looked up one by one, a million", asked / FILES * 1e6, "s"),
  ];
}

const FILES = 100_000,
  rows: Row[] = [],
  folder = await Deno.makeTempDir({ prefix: "sulcus-scale-" });
try {
  const db = await openDatabase(`${folder}/core.sqlite`);
  rows.push(
    ...await measure("SQLite", db, async () => {
      await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
      return (await Deno.stat(`${folder}/core.sqlite`)).size;
    }),
  );
  await db.destroy();
  rows.push(...await measureNames(folder));
  const postgres = await newPostgres().then(openPostgres).catch((error: Error) => {
    Deno.stderr.writeSync(new TextEncoder().encode(`Without PostgreSQL: ${error.message}\n`));
    return null;
  });
  if (postgres) {
    rows.push(
      ...await measure("PostgreSQL", postgres, async () => {
        const size = sql<{ bytes: string }>`SELECT pg_database_size(current_database()) AS bytes`;
        return Number((await size.execute(postgres)).rows[0]!.bytes);
      }),
    );
    await postgres.destroy();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
finish("deno task bench scale", `${studies} studies of two series, analysed`, rows);
