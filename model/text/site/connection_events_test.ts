import assert from "node:assert/strict";
import { connectionDetailsIn, hl7ErrorText } from "@/model/text/site/connection_events.ts";
import { HL7_ERROR } from "@/model/hl7/message.ts";

Deno.test("the log says in words why an HL7 message was rejected, and where", () => {
  const words = (reason: string) => connectionDetailsIn({ reason, count: 2 }, "en");
  assert.equal(words("101 OBR^1^18"), "reason: required field missing, OBR-18 (101), count: 2");
  const { 100: sequence, 207: internal } = hl7ErrorText;
  assert.equal(words("100 PID^2"), `reason: ${sequence.en}, PID 2 (100), count: 2`);
  assert.equal(words("207 MSH"), `reason: ${internal.en}, MSH (207), count: 2`);
  assert.equal(
    connectionDetailsIn({ reason: "101 OBR^1^18" }, "ko"),
    "사유: 필수 항목 누락, OBR-18 (101)",
  );
  for (const { code } of Object.values(HL7_ERROR)) {
    assert.doesNotMatch(words(`${code} PID^1^3`), /reason: \d/);
  }
  // other reasons, as in the documentation
  for (const reason of ["address_unknown", "999 PID", "101 <b>"]) {
    assert.equal(words(reason), `reason: ${reason}, count: 2`);
  }
});
