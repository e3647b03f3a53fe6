import assert from "node:assert/strict";
import { formOf } from "@/server/core/connections/routes/accepted.ts";

const EXPLICIT_LE = "1.2.840.10008.1.2.1", JPEG_LS = "1.2.840.10008.1.2.4.80";

Deno.test("formOf() reads Accept as viewers send it, and refuses what is not there", () => {
  const form = (accept: string | null, type: string, syntax?: string, query = "") => {
    const headers: Record<string, string> = accept === null ? {} : { accept };
    try {
      return formOf(new Request(`http://site/x${query}`, { headers }), type, syntax);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const OCTETS = "application/octet-stream",
    DICOM = "application/dicom",
    no = "media.not_acceptable";
  // OHIF, dicomweb-client, Weasis
  assert.equal(
    form("multipart/related; type=application/octet-stream; transfer-syntax=*", OCTETS, JPEG_LS),
    "multipart",
  );
  const both = `multipart/related; type="image/jls"; transfer-syntax=${JPEG_LS}, ` +
    `multipart/related; type="application/octet-stream"; transfer-syntax=${EXPLICIT_LE}`;
  assert.deepEqual([form(both, OCTETS, EXPLICIT_LE), form(both, "image/jls", JPEG_LS)], [
    "multipart",
    "multipart",
  ]);
  assert.equal(
    form(
      `multipart/related; type="application/dicom";transfer-syntax=${JPEG_LS}`,
      DICOM,
      EXPLICIT_LE,
    ),
    no,
  );
  for (const anything of [null, "", "*/*", "multipart/related", "text/html, */*;q=0.1"]) {
    assert.equal(form(anything, DICOM, JPEG_LS), "multipart", String(anything));
  }
  assert.deepEqual([form(DICOM, DICOM, EXPLICIT_LE), form("image/*", "image/jpeg")], [
    "single",
    "single",
  ]);
  assert.deepEqual([form("image/png", "image/jpeg"), form("image/jpeg;q=0", "image/jpeg")], [
    no,
    no,
  ]);
  assert.equal(form("text/html", "image/jpeg", undefined, "?accept=image/jpeg"), "single");
});
