/** Studies and orders with equal accession numbers. */
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import {
  type HospitalOrder,
  orderOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Maximum number of texts that one SQL statement looks up. */
const TEXTS_PER_STATEMENT = 500;

/** Reads rows for many texts with several SQL statements. */
async function inParts<Row>(
  texts: readonly string[],
  read: (part: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < texts.length; from += TEXTS_PER_STATEMENT) {
    rows.push(...await read(texts.slice(from, from + TEXTS_PER_STATEMENT)));
  }
  return rows;
}

/** Accession numbers that both an order of the patient and a study have. */
export async function sharedAccessions(db: Database, patientId: string): Promise<string[]> {
  const rows = await db.selectFrom("hospital_orders as o")
    .innerJoin("patients as p", "p.accession_number", "o.accession_number")
    .select("o.accession_number").distinct().where("o.patient_id", "=", patientId)
    .where("o.accession_number", "!=", "").execute();
  return rows.map(({ accession_number }) => accession_number);
}

/**
 * Orders with these accession numbers, if a study has the number and the patient ID or is joined.
 * A number such as "0" may be that of thousands of orders, which are not all read.
 */
export async function ordersOfAccessions(
  db: Database,
  accessionNumbers: readonly string[],
): Promise<HospitalOrder[]> {
  const rows = await inParts(
    accessionNumbers,
    (part) =>
      db.selectFrom("hospital_orders as o").selectAll("o")
        .where("o.accession_number", "in", part).where("o.state", "!=", "cancelled")
        .where((e) =>
          e.exists(
            e.selectFrom("patients as p").select("p.pid")
              .where("p.accession_number", "=", e.ref("o.accession_number"))
              .where((p) =>
                p.or([
                  p("p.patient_id", "=", p.ref("o.patient_id")),
                  p("p.pid", "=", p.ref("o.pid")),
                ])
              ),
          )
        ).orderBy("o.id").execute(),
  );
  return rows.map(orderOf);
}

/** A study with its accession number, for joining it with orders. */
export interface AccessionStudy {
  pid: number;
  accessionNumber: string;
  patientId: string;
  person: RecordedIdentity;
  procedure: string | null;
  referrer: string | null;
}

/** Studies with accession numbers that an order of their patient has, or a joined order. */
export async function studiesOfAccessions(
  db: Database,
  accessionNumbers: readonly string[],
): Promise<AccessionStudy[]> {
  const rows = await inParts(accessionNumbers, (part) =>
    db.selectFrom("patients as p").select([
      "p.pid",
      "p.accession_number",
      "p.patient_id",
      "p.patient_name",
      "p.patient_birthdate",
      "p.patient_sex",
      "p.ordered_procedure",
      "p.referring_physician",
    ]).where("p.accession_number", "in", part)
      .where((e) =>
        e.exists(
          e.selectFrom("hospital_orders as o").select("o.id")
            .where("o.accession_number", "=", e.ref("p.accession_number"))
            .where((o) =>
              o.or([
                o("o.patient_id", "=", o.ref("p.patient_id")),
                o("o.pid", "=", o.ref("p.pid")),
              ])
            ),
        )
      ).orderBy("p.pid").execute());
  return rows.map((row) => ({
    pid: row.pid,
    accessionNumber: row.accession_number!,
    patientId: row.patient_id,
    person: {
      patient_id: row.patient_id,
      patient_name: row.patient_name,
      patient_birthdate: row.patient_birthdate,
      patient_sex: row.patient_sex,
    },
    procedure: row.ordered_procedure,
    referrer: row.referring_physician,
  }));
}

/** Writes the procedure and referring physician of an order into a study. */
export async function setOrdered(
  db: Database,
  pid: number,
  { procedure, referrer }: Pick<AccessionStudy, "procedure" | "referrer">,
): Promise<void> {
  await db.updateTable("patients")
    .set({ ordered_procedure: procedure, referring_physician: referrer }).where("pid", "=", pid)
    .execute();
}

/** Writes a study's accession number if it has none. @returns whether the number was written. */
export async function setAccession(
  db: Database,
  pid: number,
  accessionNumber: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("patients")
    .set({ accession_number: accessionNumber }).where("pid", "=", pid)
    .where((e) => e.or([e("accession_number", "is", null), e("accession_number", "=", "")]))
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/** Distinct accession numbers of studies; studies without one are left out. */
export async function accessionsOf(db: Database, pids: readonly number[]): Promise<string[]> {
  if (pids.length === 0) return [];
  const rows = await db.selectFrom("patients").select("accession_number").distinct()
    .where(isAmong(db, "pid", numberList(db, pids))).execute();
  return rows.flatMap(({ accession_number }) => accession_number || []);
}
