import { openData } from "@/core/mod.ts";
import { insertPatient, type NewPatient } from "@/core/storage/patients.ts";

/** Rows of studies without images, pid 1 to `count` in an empty core; `values` of each by its number. */
export async function addStudies(
  dataDir: string,
  count: number,
  values: (n: number) => Partial<NewPatient> = () => ({}),
): Promise<void> {
  const db = openData(dataDir);
  try {
    for (let n = 1; n <= count; n++) {
      await insertPatient(db, {
        studyUid: `1.2.3.${n}`,
        patientId: `P-${n}`,
        patientName: `Name ${n}`,
        birthDate: "1960-05-20",
        sex: "male",
        age: 65,
        studyDate: "2026-01-05",
        createdAt: "2026-01-06T00:00:00Z",
        createdBy: null,
        ...values(n),
      });
    }
  } finally {
    await db.destroy();
  }
}
