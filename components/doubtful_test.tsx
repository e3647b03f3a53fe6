// covers: S-105
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Doubtful } from "@/components/Doubtful.tsx";

Deno.test("Doubtful marks what cannot be right, for eyes and screen readers, in both languages", () => {
  const subject = { patient_birthdate: "1960-05-20", study_date: "2999-01-05", patient_age: 65 };
  const html = (field: "study_date" | "patient_age", language: "en" | "ko") =>
    renderToStaticMarkup(<Doubtful subject={subject} field={field} language={language} />);
  assert.match(html("patient_age", "en"), /65.*⚠.*do not agree/);
  assert.match(
    html("study_date", "en"),
    /2999-01-05.*⚠.*The study date is implausible/,
  );
  assert.match(html("study_date", "ko"), /검사일을 확인하세요/);
});

Deno.test("Doubtful marks a date of birth and an age that contradict, and nothing of a sound subject", () => {
  const sound = { patient_birthdate: "1960-05-20", study_date: "2026-01-05", patient_age: 65 };
  const html = (age: number, field: "patient_birthdate" | "patient_age" | "study_date") =>
    renderToStaticMarkup(
      <Doubtful subject={{ ...sound, patient_age: age }} field={field} language="ko" />,
    );
  assert.equal(html(65, "patient_age"), "65");
  for (const field of ["patient_birthdate", "patient_age"] as const) {
    assert.match(html(35, field), /⚠.*서로 맞지 않습니다/);
  }
  assert.equal(html(35, "study_date"), "2026-01-05");
});

Deno.test("Doubtful says that a date of the images stands in for the study's", () => {
  const subject = { patient_birthdate: null, study_date: "2026-01-05", patient_age: null };
  const html = (source: "series" | "acquisition", language: "en" | "ko") =>
    renderToStaticMarkup(
      <Doubtful
        subject={{ ...subject, study_date_source: source }}
        field="study_date"
        language={language}
      />,
    );
  assert.match(html("series", "en"), /2026-01-05.*The date of the series is shown/);
  assert.match(html("acquisition", "ko"), /2026-01-05.*촬영 날짜/);
});
