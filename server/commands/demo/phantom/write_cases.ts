/**
 * Writes the cases as folders of DICOM files:
 * `deno run --allow-read --allow-write server/commands/demo/phantom/write_cases.ts OUT [number …]`
 */
import { makeCase, PHANTOM_CASES } from "@/server/commands/demo/phantom/cases.ts";

if (import.meta.main) {
  const [out, ...wanted] = Deno.args;
  if (!out) throw new RangeError("Cannot write cases: no output folder given");
  for (const [n, phantom] of PHANTOM_CASES.entries()) {
    if (wanted.length > 0 && !wanted.includes(String(n + 1))) continue;
    const { patientId, studyDate } = phantom.patient, folder = `${out}/${patientId}_${studyDate}`;
    await Deno.mkdir(folder, { recursive: true });
    for (const { fileName, bytes } of makeCase(phantom)) {
      await Deno.writeFile(`${folder}/${fileName}`, bytes);
    }
  }
}
