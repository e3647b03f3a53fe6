/**
 * Writes the demonstration's patients as folders of DICOM files:
 * `deno run --allow-read --allow-write tests/phantom/write_patients.ts OUT [number …]`
 */
import { DEMO_PATIENTS, makePatient } from "@/tests/phantom/patients.ts";

if (import.meta.main) {
  const [out, ...wanted] = Deno.args;
  if (!out) throw new RangeError("Cannot write patients: no output folder given");
  for (const [n, phantom] of DEMO_PATIENTS.entries()) {
    if (wanted.length > 0 && !wanted.includes(String(n + 1))) continue;
    const { patientId, studyDate } = phantom.patient, folder = `${out}/${patientId}_${studyDate}`;
    await Deno.mkdir(folder, { recursive: true });
    for (const { fileName, bytes } of makePatient(phantom)) {
      await Deno.writeFile(`${folder}/${fileName}`, bytes);
    }
  }
}
