// covers: S-105
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Doubtful } from "@/components/Doubtful.tsx";

Deno.test("Doubtful marks what cannot be right, for eyes and screen readers, in both languages", () => {
  const subject = { patient_birthdate: "1960-05-20", study_date: "2999-01-05", patient_age: 65 };
  const html = (field: "study_date" | "patient_age", language: "en" | "ko") =>
    renderToStaticMarkup(<Doubtful subject={subject} field={field} language={language} />);
  assert.equal(html("patient_age", "en"), "65");
  assert.match(html("study_date", "en"), /2999-01-05.*⚠.*This study date cannot be right/);
  assert.match(html("study_date", "ko"), /검사일이 올바르지 않습니다/);
});
