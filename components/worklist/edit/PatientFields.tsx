import type { ReactNode } from "react";
import {
  ageOf,
  type PatientField,
  type PatientForm,
  type PatientProblems,
} from "@/model/worklist/patient_edit.ts";
import { MAX_IDENTITY_LENGTH } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { useToday } from "@/client/page/time_zone.ts";
import { DayBox } from "@/components/day/DayBox.tsx";

interface PatientFieldsProps {
  form: PatientForm;
  problems: PatientProblems;
  language: Language;
  /** id of the message below the row, for screen readers */
  messageId: string;
  onChange: (change: Partial<PatientForm>) => void;
}

/** Error message of a single invalid field. */
export function problemText(
  key: keyof PatientProblems,
  problems: PatientProblems,
  language: Language,
): string {
  const problem = problems[key];
  if (problem === undefined) return "";
  if (problem === "check") {
    return textIn(refusalText.check, language, { fields: wrongFields([key], language) });
  }
  // adds the field's name, which the error message does not contain
  const sentence = textIn(patientEditText[problem], language, { maxLength: MAX_IDENTITY_LENGTH });
  return `${textIn(patientEditText[key], language)}: ${sentence}`;
}

const CHECK = {
  study_date: patientEditText.checkStudy,
  patient_birthdate: patientEditText.checkBirth,
  patient_sex: patientEditText.checkSex,
  age: patientEditText.checkAge,
} as const;

/** Invalid fields as text: "study date, birth date, sex, age"; empty without any. */
export function wrongFields(keys: readonly (keyof PatientProblems)[], language: Language): string {
  return Object.entries(CHECK).filter(([key]) => keys.includes(key as keyof typeof CHECK))
    .map(([, name]) => textIn(name, language)).join(", ");
}

/** Editable fields of a patient record, in the layout of the record's worklist row. */
export function PatientFields(props: PatientFieldsProps) {
  const { form, problems, language, messageId, onChange } = props;
  const today = useToday();
  const say = (key: keyof typeof patientEditText) => textIn(patientEditText[key], language);
  const look = (field: PatientField) =>
    `h-7 rounded border bg-white px-1.5 text-[13px] text-ink ${
      isWrong(field) ? "border-red-600" : "border-line-strong"
    }`;
  const control = (field: PatientField) => ({
    value: form[field],
    "data-field": field,
    "aria-label": say(field),
    "aria-invalid": isWrong(field),
    "aria-describedby": messageId,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
    className: `w-full ${look(field)}`,
  });
  const day = (field: "patient_birthdate" | "study_date") => (
    <DayBox
      value={form[field]}
      today={today}
      name={say(field)}
      language={language}
      isBad={isWrong(field)}
      describedBy={messageId}
      className={look(field)}
      width="w-full"
      onChange={(value) => onChange({ [field]: value })}
    />
  );
  const isWrong = (field: PatientField) =>
    problems[field] !== undefined ||
    (problems.age !== undefined && (field === "patient_birthdate" || field === "study_date"));
  const age = ageOf(form);
  return (
    <>
      <Field name={say("patient_id")} width="flex-1 min-w-[84px] max-w-[180px]">
        <input {...control("patient_id")} data-autofocus autoComplete="off" spellCheck={false} />
      </Field>
      <Field name={say("patient_name")} width="flex-[2] min-w-[110px] max-w-[360px]">
        <input {...control("patient_name")} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name={say("patient_sex")} width="w-[56px]">
        <select {...control("patient_sex")}>
          {form.patient_sex === "" && <option value="">-</option>}
          <option value="male">{say("male")}</option>
          <option value="female">{say("female")}</option>
        </select>
      </Field>
      <Field name={say("patient_birthdate")} width="w-[126px]">
        {day("patient_birthdate")}
      </Field>
      <Field name={say("study_date")} width="w-[126px]">
        {day("study_date")}
      </Field>
      <Field name={say("age")} width="w-[36px]">
        <output className={`block h-7 leading-7 tabular ${problems.age ? "text-red-700" : ""}`}>
          {age ?? "-"}
        </output>
      </Field>
    </>
  );
}

function Field({ name, width, children }: { name: string; width: string; children: ReactNode }) {
  return (
    <div className={width}>
      <div
        className="text-[11px] leading-[15px] text-ink-soft whitespace-nowrap"
        aria-hidden="true"
      >
        {name}
      </div>
      {children}
    </div>
  );
}
