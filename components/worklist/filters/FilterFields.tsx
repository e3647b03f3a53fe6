import type { ReactNode } from "react";
import { isDay } from "@/model/time/day.ts";
import type { DayRange, FilterForm, FilterProblems } from "@/model/worklist/filter_form.ts";
import { MAX_FILTER_AGE, MIN_FILTER_AGE } from "@/model/schema/worklist/filters.ts";
import type { LabelRef } from "@/model/schema/worklist/labels.ts";
import { type Language, textIn } from "@/model/text.ts";
import { filterProblemText } from "@/model/text/worklist/filter_problems.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import { useToday } from "@/client/page/time_zone.ts";
import { DayBox } from "@/components/day/DayBox.tsx";

interface FilterFieldsProps {
  form: FilterForm;
  problems: FilterProblems;
  labels: readonly LabelRef[];
  language: Language;
  onChange: (change: Partial<FilterForm>) => void;
}

const INPUT = "h-9 rounded-md border bg-white px-2.5 text-sm text-ink";
const border = (isBad: boolean) => isBad ? "border-red-600" : "border-line-strong";

/** Input fields of a filter's criteria. */
export function FilterFields({ form, problems, labels, language, onChange }: FilterFieldsProps) {
  const say = (key: keyof typeof filtersText, values?: Record<string, string>) =>
    textIn(filtersText[key], language, values);
  const problem = (key: keyof FilterForm) =>
    problems[key] && textIn(filterProblemText[problems[key]], language);
  const days = (key: "birthDate" | "studyDate" | "analysisDate") => (
    <Field key={key} name={say(key)} problem={problem(key)}>
      <Days
        range={form[key]}
        names={[say("from", { field: say(key) }), say("to", { field: say(key) })]}
        language={language}
        isBad={problems[key] !== undefined}
        onChange={(range) =>
          onChange({ [key]: range })}
      />
    </Field>
  );
  const age = (key: "ageFrom" | "ageTo") => (
    <input
      type="number"
      min={MIN_FILTER_AGE}
      max={MAX_FILTER_AGE}
      value={form[key]}
      aria-label={say(key)}
      aria-invalid={problems[key] !== undefined}
      onChange={(event) => onChange({ [key]: event.currentTarget.value })}
      className={`${INPUT} ${border(problems[key] !== undefined)} w-24`}
    />
  );
  return (
    <div className="fields-grid grid grid-cols-2 gap-x-8 gap-y-3">
      <Field name={say("filterName")} problem={problem("filterName")}>
        <input
          value={form.filterName}
          maxLength={100}
          aria-label={say("filterName")}
          aria-invalid={problems.filterName !== undefined}
          onChange={(event) => onChange({ filterName: event.currentTarget.value })}
          className={`${INPUT} ${border(problems.filterName !== undefined)} w-full`}
        />
      </Field>
      <Field name={say("age")} problem={problem("ageFrom") ?? problem("ageTo")}>
        <div className="flex items-center gap-2">{age("ageFrom")} – {age("ageTo")}</div>
      </Field>
      <Field name={say("sex")}>
        <Radios
          name="filter-sex"
          value={form.sex}
          options={[["", say("any")], ["male", say("male")], ["female", say("female")]]}
          onChange={(sex) => onChange({ sex })}
        />
      </Field>
      <Field name={say("t1wt2w")}>
        <Radios
          name="filter-series"
          value={form.t1wt2w}
          options={[["all", say("any")], ["t1w", "T1w"], ["t2w", "T2w"]]}
          onChange={(t1wt2w) => onChange({ t1wt2w })}
        />
      </Field>
      {days("birthDate")}
      {days("studyDate")}
      {days("analysisDate")}
      <Field name={say("labels")}>
        <div className="filter-labels flex flex-wrap gap-1.5 overflow-y-auto">
          {labels.map(({ id, label_name }) => {
            const isOn = form.labels.includes(id);
            return (
              <button
                key={id}
                type="button"
                aria-pressed={isOn}
                title={label_name}
                onClick={() =>
                  onChange({
                    labels: isOn ? form.labels.filter((each) => each !== id) : [...form.labels, id],
                  })}
                className={`max-w-[160px] truncate rounded px-2 h-7 text-[13px] border ${
                  isOn
                    ? "border-brand-600 bg-brand-600 text-white"
                    : "border-line-strong bg-white text-ink hover:bg-brand-50"
                }`}
              >
                {label_name}
              </button>
            );
          })}
          {labels.length === 0 && <span className="text-ink-faint py-1.5">{say("noLabels")}</span>}
        </div>
      </Field>
    </div>
  );
}

function Field(
  { name, problem, children }: { name: string; problem?: string; children: ReactNode },
) {
  return (
    <div role="group" aria-label={name}>
      <div className="mb-1 text-[13px] font-semibold text-ink">{name}</div>
      {children}
      <p role="alert" className="min-h-[18px] text-xs leading-tight pt-0.5 text-red-700">
        {problem}
      </p>
    </div>
  );
}

interface DaysProps {
  range: DayRange;
  names: readonly [from: string, to: string];
  language: Language;
  isBad: boolean;
  onChange: (range: DayRange) => void;
}

function Days({ range, names, language, isBad, onChange }: DaysProps) {
  const today = useToday();
  // marks only the invalid one of both dates
  const isDate = range.map((day) => day === "" || isDay(day)), areDates = isDate[0] && isDate[1];
  const isWrong = (at: 0 | 1) => isBad && (areDates || !isDate[at]);
  const input = (at: 0 | 1) => (
    <DayBox
      value={range[at]}
      today={today}
      name={names[at]}
      language={language}
      isBad={isWrong(at)}
      className={`${INPUT} ${border(isWrong(at))}`}
      width="w-[154px]"
      onChange={(day) => onChange(at === 0 ? [day, range[1]] : [range[0], day])}
    />
  );
  return <div className="flex items-center gap-2">{input(0)} – {input(1)}</div>;
}

interface RadiosProps<T extends string> {
  name: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}

function Radios<T extends string>({ name, value, options, onChange }: RadiosProps<T>) {
  return (
    <div className="flex items-center gap-5 h-9">
      {options.map(([option, text]) => (
        <label key={option} className="flex items-center gap-2 text-ink">
          <input
            type="radio"
            name={name}
            checked={value === option}
            onChange={() =>
              onChange(option)}
            className="w-4 h-4 accent-brand-600"
          />
          {text}
        </label>
      ))}
    </div>
  );
}
