// covers: S-186
import assert from "node:assert/strict";
import { idDoubtOf, identifierText } from "@/model/hl7/uncertain_ids.ts";

const cx = (text: string) =>
  text.split("~").filter(Boolean).map((each) => {
    const [id = "", , , authority = "", type = ""] = each.split("^");
    return { id, authority, type };
  });

Deno.test("an authority is asked for only where it selects one patient ID", () => {
  const cases: [patient: string, prior: string, authority: string, doubt: string][] = [
    ["P-2~7^^^LAB", "", "", "authority"],
    ["P-2^^^HIS~7^^^LAB", "", "", "authority"],
    // the authority was entered since
    ["P-2~7^^^LAB", "", "LAB", "authority"],
    // no authority in the message, or several IDs of each
    ["P-2~7", "", "", "several_ids"],
    ["P-2^^^LAB~7^^^LAB", "", "", "several_ids"],
    ["P-2^^^LAB~7^^^LAB", "", "LAB", "several_ids"],
    // both sides of a merge need an ID of the authority
    ["P-2^^^HIS~7^^^LAB", "P-1^^^HIS", "", "authority"],
    ["P-2^^^HIS~7^^^LAB", "P-1", "", "several_ids"],
    ["P-3^^^HIS^MR", "P-1^^^OTHER^MR", "", "two_authorities"],
  ];
  for (const [patient, prior, authority, doubt] of cases) {
    assert.equal(idDoubtOf(cx(patient), cx(prior), authority), doubt, `${patient} | ${prior}`);
  }
  assert.deepEqual(cx("P-2~7^^^LAB").map(identifierText), ["P-2", "7 (LAB)"]);
});
