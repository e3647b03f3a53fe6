// Form for a new reading study, for administrators.
import { type FormEvent, useEffect, useState } from "react";
import { mayDo } from "@/model/accounts/roles.ts";
import type { Account } from "@/model/schema/accounts/users.ts";
import {
  MAX_STUDY_CASES,
  MAX_STUDY_QUESTION,
  MAX_STUDY_TITLE,
  MAX_WASHOUT_DAYS,
  type RatingScale,
  type ReadingArm,
  type ReadingStudyPost,
} from "@/model/schema/reading/reading_studies.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { listAccounts } from "@/client/api/accounts/users.ts";
import { addReadingStudy } from "@/client/api/reading/reading_studies.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useText } from "@/client/page/language.ts";
import { useUser } from "@/client/page/user.ts";
import { Button } from "@/components/Button.tsx";
import { INPUT } from "@/components/fields.tsx";
import { useAction } from "@/components/use_action.ts";

type Arms = "both" | ReadingArm;
const ARMS: Readonly<Record<Arms, ReadingArm[]>> = {
  both: ["without", "with"],
  with: ["with"],
  without: ["without"],
};
const DEFAULT_WASHOUT_DAYS = 28;

/** Parses the study numbers that the user typed, separated by spaces or commas. */
const numbersIn = (text: string): number[] =>
  (text.match(/\d{1,15}/g) ?? []).map(Number).filter((pid) => pid > 0);

/** Cases typed into the three fields; also the first number that occurs twice, if any. */
function casesOf(fields: Readonly<Record<"positive" | "negative" | "unknown", string>>) {
  const cases: ReadingStudyPost["cases"] = [
    ...numbersIn(fields.positive).map((pid) => ({ pid, reference: true })),
    ...numbersIn(fields.negative).map((pid) => ({ pid, reference: false })),
    ...numbersIn(fields.unknown).map((pid) => ({ pid, reference: null })),
  ];
  const repeated = cases.find(({ pid }, n) => cases.findIndex((each) => each.pid === pid) < n);
  return { cases, repeated: repeated?.pid ?? null };
}

export function NewStudy() {
  const text = useText(readingStudyText), user = useUser();
  const [accounts, setAccounts] = useState<readonly Account[]>([]);
  const [readers, setReaders] = useState<ReadonlySet<number>>(new Set());
  const [fields, setFields] = useState({ positive: "", negative: "", unknown: "" });
  const { isBusy, act } = useAction();
  useEffect(() => {
    listAccounts(browserApi).then(({ users }) => setAccounts(users), presentError);
  }, []);
  const choices = accounts.filter(({ email, role, state }) =>
    mayDo(role, "look") && state !== "suspended" && email !== user?.email
  );
  const { cases, repeated } = casesOf(fields);
  const canBegin = readers.size > 0 && cases.length >= 2 && cases.length <= MAX_STUDY_CASES &&
    repeated === null;
  const begin = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const scale = form.get("scale") as RatingScale;
    return act(async () => {
      const id = await addReadingStudy(browserApi, {
        title: String(form.get("title")),
        question: String(form.get("question")),
        scale,
        // without a rating, the decision is the only question
        asks_decision: scale === "none" || form.get("decision") !== null,
        asks_region: form.get("region") !== null,
        arms: ARMS[form.get("arms") as Arms],
        washout_days: Number(form.get("washout")),
        cases,
        readers: [...readers],
      });
      location.hash = `#study-${id}`;
    });
  };
  return (
    <form onSubmit={(event) => void begin(event)} className="mt-6 flex flex-col gap-3 text-[13px]">
      <h2 className="font-semibold text-ink">{text("create")}</h2>
      <TextFields />
      <DesignFields />
      <div className="flex flex-wrap gap-3">
        {(["positive", "negative", "unknown"] as const).map((name) => (
          <label key={name} className="flex flex-1 basis-[260px] flex-col justify-end">
            {text(name)}
            <textarea
              value={fields[name]}
              rows={2}
              placeholder="12, 15, 18"
              aria-describedby="reading-study-cases"
              onChange={(event) => {
                const { value } = event.currentTarget;
                setFields((before) => ({ ...before, [name]: value }));
              }}
              className={`${INPUT} h-auto py-1.5`}
            />
          </label>
        ))}
      </div>
      <p id="reading-study-cases" className="text-ink-soft">
        {text("casesHint", { max: MAX_STUDY_CASES })}
      </p>
      {repeated !== null && (
        <p role="alert" className="text-red-700">{text("repeated", { pid: repeated })}</p>
      )}
      <ReaderFields choices={choices} readers={readers} onChange={setReaders} />
      <Button type="submit" kind="primary" disabled={isBusy || !canBegin} className="self-start">
        {text("begin")}
      </Button>
    </form>
  );
}

function TextFields() {
  const text = useText(readingStudyText);
  return (
    <div className="flex flex-wrap gap-3">
      <label className="flex flex-1 basis-[260px] flex-col justify-end">
        {text("name")}
        <input name="title" required maxLength={MAX_STUDY_TITLE} className={INPUT} />
      </label>
      <label className="flex flex-[2] basis-[360px] flex-col">
        {text("question")}
        <input
          name="question"
          required
          maxLength={MAX_STUDY_QUESTION}
          placeholder={text("questionHint")}
          className={INPUT}
        />
      </label>
    </div>
  );
}

interface ReaderFieldsProps {
  choices: readonly Account[];
  readers: ReadonlySet<number>;
  onChange: (readers: ReadonlySet<number>) => void;
}

function ReaderFields({ choices, readers, onChange }: ReaderFieldsProps) {
  const text = useText(readingStudyText);
  return (
    <fieldset>
      <legend>{text("readers")}</legend>
      {choices.length === 0 && <p className="text-ink-soft">{text("noReaders")}</p>}
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {choices.map(({ user_id, email }) => (
          <label key={user_id} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={readers.has(user_id)}
              onChange={(event) => {
                const next = new Set(readers);
                if (event.currentTarget.checked) {
                  next.add(user_id);
                } else next.delete(user_id);
                onChange(next);
              }}
            />
            {email}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function DesignFields() {
  const text = useText(readingStudyText);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <label className="flex flex-col">
        {text("scale")}
        <select name="scale" className={INPUT}>
          <option value="five">{text("five")}</option>
          <option value="hundred">{text("hundred")}</option>
          <option value="none">{text("noRating")}</option>
        </select>
      </label>
      <label className="flex h-9 items-center gap-2">
        <input type="checkbox" name="decision" defaultChecked />
        {text("asksDecision")}
      </label>
      <label className="flex h-9 items-center gap-2">
        <input type="checkbox" name="region" />
        {text("asksRegion")}
      </label>
      <label className="flex flex-col">
        {text("arms")}
        <select name="arms" className={INPUT}>
          <option value="both">{text("bothArms")}</option>
          <option value="with">{text("onlyWith")}</option>
          <option value="without">{text("onlyWithout")}</option>
        </select>
      </label>
      <label className="flex flex-col">
        {text("washout")}
        <input
          name="washout"
          type="number"
          required
          min={0}
          max={MAX_WASHOUT_DAYS}
          step={1}
          defaultValue={DEFAULT_WASHOUT_DAYS}
          className={`${INPUT} w-28`}
        />
      </label>
    </div>
  );
}
