// The reader's answer: rating, yes or no, and a region.
import { type FormEvent, useState } from "react";
import {
  RATING_LIMITS,
  type ReadingAnswer,
  type ReadingTask,
} from "@/model/schema/reading/reading_studies.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { partName } from "@/model/text/regions.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

type Answer = Pick<ReadingAnswer, "rating" | "decision" | "region">;
const FIELD = "h-9 w-full rounded border border-gray-500 bg-gray-800 px-2 text-sm text-gray-100";
const RADIO = "flex h-8 flex-1 items-center justify-center gap-1.5 rounded border " +
  "border-gray-500 bg-gray-800 px-2 text-sm has-checked:border-cyan-300 has-checked:bg-cyan-800";

/** Names of the brain parts from which a reader chooses, each once, in the order of the labels. */
const PARTS = [...new Set(REGIONS.map(({ part }) => part))];

export interface AnswerFormProps {
  task: ReadingTask;
  /** whether the images are shown; before this, and after a failed load, no answer is possible */
  isReady: boolean;
  isBusy: boolean;
  /** @param words The answer as text, for the confirmation before the answer is stored. */
  onSubmit: (answer: Answer, words: string) => void;
}

export function AnswerForm({ task, isReady, isBusy, onSubmit }: AnswerFormProps) {
  const text = useText(readingStudyText), language = useLanguage();
  const [rating, setRating] = useState<number | null>(null);
  const [decision, setDecision] = useState<boolean | null>(null);
  const [region, setRegion] = useState("");
  const { question, scale, asks_decision, asks_region } = task;
  const isComplete = (scale === "none" || rating !== null) && (!asks_decision || decision !== null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const words = [
      ...rating === null ? [] : [`${text("rating")}: ${rating}`],
      ...decision === null ? [] : [`${text("decision")}: ${text(decision ? "yes" : "no")}`],
      ...region === "" ? [] : [partName(region, language)],
    ];
    onSubmit({ rating, decision, region: region || null }, words.join(", "));
  };
  return (
    <form
      aria-label={text("answer")}
      onSubmit={submit}
      className="flex shrink-0 flex-col gap-2 border-b border-gray-700 bg-gray-900 p-3 text-sm text-gray-100"
    >
      <p className="font-medium">{question}</p>
      {!isReady && <p className="text-xs text-gray-300">{text("needsImages")}</p>}
      <fieldset disabled={!isReady} className="flex min-w-0 flex-col gap-2">
        {scale === "five" && <FiveRating rating={rating} onRate={setRating} />}
        {scale === "hundred" && <HundredRating onRate={setRating} />}
        {asks_decision && (
          <div
            role="radiogroup"
            aria-labelledby="reading-decision"
            className="flex items-center gap-2"
          >
            <span id="reading-decision" className="w-14 shrink-0">{text("decision")}</span>
            <div className="flex flex-1 gap-2">
              {[true, false].map((value) => (
                <label key={String(value)} className={RADIO}>
                  <input
                    type="radio"
                    name="decision"
                    checked={decision === value}
                    onChange={() => setDecision(value)}
                  />
                  {text(value ? "yes" : "no")}
                </label>
              ))}
            </div>
          </div>
        )}
        {asks_region && (
          <label>
            {text("region")}
            <select
              value={region}
              onChange={(event) => setRegion(event.currentTarget.value)}
              className={FIELD}
            >
              <option value="">{text("noRegion")}</option>
              {PARTS.map((part) => (
                <option key={part} value={part}>{partName(part, language)}</option>
              ))}
            </select>
          </label>
        )}
        <button
          type="submit"
          disabled={isBusy || !isComplete}
          className="h-8 rounded bg-cyan-800 text-sm font-medium text-white hover:bg-cyan-700 disabled:opacity-50"
        >
          {text("submit")}
        </button>
      </fieldset>
    </form>
  );
}

interface RatingProps {
  onRate: (rating: number | null) => void;
}

function FiveRating({ rating, onRate }: RatingProps & { rating: number | null }) {
  const text = useText(readingStudyText), [low, high] = RATING_LIMITS.five;
  return (
    <fieldset>
      <legend className="mb-1">
        {text("rating")} <span className="text-xs text-gray-300">{text("ratingFive")}</span>
      </legend>
      <div className="flex gap-1.5">
        {Array.from({ length: high - low + 1 }, (_, n) => low + n).map((value) => (
          <label key={value} className={RADIO}>
            <input
              type="radio"
              name="rating"
              checked={rating === value}
              onChange={() =>
                onRate(value)}
            />
            {value}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** a number field, not a slider: a slider would show a rating that the reader has not given */
function HundredRating({ onRate }: RatingProps) {
  const text = useText(readingStudyText), [low, high] = RATING_LIMITS.hundred;
  return (
    <label>
      {text("rating")}
      <input
        type="number"
        inputMode="numeric"
        min={low}
        max={high}
        step={1}
        onChange={({ currentTarget: { value, valueAsNumber } }) =>
          onRate(
            value !== "" && Number.isInteger(valueAsNumber) && valueAsNumber >= low &&
              valueAsNumber <= high
              ? valueAsNumber
              : null,
          )}
        className={FIELD}
      />
      <span className="mt-1 block text-xs text-gray-300">{text("ratingHundred")}</span>
    </label>
  );
}
