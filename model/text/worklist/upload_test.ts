import assert from "node:assert/strict";
import { type UploadReason, uploadReasonText, wrongIn } from "@/model/text/worklist/upload.ts";

Deno.test("wrongIn() says what is wrong, and not what to do", () => {
  assert.equal(
    wrongIn("en", "unclassified"),
    "The DICOM tags show neither a T1w nor a FLAIR series",
  );
  assert.equal(
    wrongIn("ko", "unclassified"),
    "DICOM 태그로는 T1w나 FLAIR로 확인되지 않는 시리즈입니다",
  );
  assert.equal(
    wrongIn("en", "slice_gap", { smallest: "0.9", largest: "1.2" }),
    "The slice spacing is not constant (0.9 to 1.2\u00a0mm)",
  );
  for (const reason of Object.keys(uploadReasonText) as UploadReason[]) {
    assert.doesNotMatch(wrongIn("en", reason), /\b(Export|Upload|Choose|Check)\b/, reason);
  }
});
