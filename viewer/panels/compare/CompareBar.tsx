import { useSignals } from "@preact/signals-react/runtime";
import {
  COMPARE_LAYOUTS,
  HANGING_RULES,
  type HangingRule,
} from "@/model/schema/reading/hanging.ts";
import { textIn } from "@/model/text.ts";
import { viewerCompareText as texts } from "@/model/text/viewer/viewer_compare.ts";
import {
  isSameContrast,
  keyOf,
  optionsOf,
  otherPersonOf,
  reasonOf,
  viewedOf,
} from "@/viewer/panels/compare/compared_images.ts";
import type { ComparePartProps } from "@/viewer/panels/compare/ComparedPanes.tsx";
import { BUTTON, Choice, FIELD, OFF, ON } from "@/viewer/panels/controls.tsx";

/** Controls that select the compared images and the arrangement of these images. */
export function CompareBar({ session, store, language }: ComparePartProps) {
  useSignals();
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  const layout = session.compareLayout.value, isFlip = layout === "flip";
  const isOtherShown = store.isFlipped.value, isDifference = store.isDifferenceShown.value;
  return (
    <div
      data-testid="compare"
      className="flex items-center gap-2 px-3 h-10 bg-gray-900 border-b border-gray-700"
    >
      <ImageChoice session={session} store={store} language={language} />
      <Choice
        name={t("layout")}
        value={layout ?? "1x2"}
        options={COMPARE_LAYOUTS.map((value) => ({
          value,
          text: value === "flip" ? t("flip") : value.replace("x", "×"),
          hint: t(value === "flip" ? "flipHint" : "layoutHint"),
        }))}
        onChoose={(value) => store.setLayout(value)}
      />
      {isFlip && (
        <button
          type="button"
          aria-pressed={isOtherShown}
          title={t("flipHint")}
          className={`${BUTTON} px-2 ${isOtherShown ? ON : OFF}`}
          onClick={() => store.isFlipped.value = !isOtherShown}
        >
          {t(isOtherShown ? "otherOne" : "thisOne")}
        </button>
      )}
      {isSameContrast(store) && (
        <button
          type="button"
          aria-pressed={isDifference}
          className={`${BUTTON} px-2 ${isDifference ? ON : OFF}`}
          disabled={store.state.value !== "shown"}
          onClick={() => void store.setDifference(!store.isDifferenceShown.peek())}
        >
          {t("difference")}
        </button>
      )}
      {store.window.isTheirs.value && !isFlip && (
        <div className="flex items-center gap-2 text-xs text-gray-300 whitespace-nowrap">
          {t("windowOf")}
          <Choice
            name={t("windowOf")}
            value={store.window.isOther.value ? "otherOne" : "thisOne"}
            options={(["thisOne", "otherOne"] as const).map((value) => ({
              value,
              text: t(value),
              hint: t("windowOfHint"),
            }))}
            onChoose={(value) => store.window.isOther.value = value === "otherOne"}
          />
        </div>
      )}
      <div className="flex-1" />
      <HangingChoice session={session} store={store} language={language} />
    </div>
  );
}

/** Images that can be compared, and those that cannot with the reason. */
function ImageChoice({ session, store, language }: ComparePartProps) {
  useSignals();
  const t = (key: keyof typeof texts, values?: Record<string, string>) =>
    textIn(texts[key], language, values);
  const source = store.source.value;
  const options = optionsOf(store, session, language), viewed = viewedOf(store, language);
  const choices = [...options, ...viewed];
  const unstored = store.refused.value.filter(({ volume }) => !volume);
  return (
    <select
      aria-label={t("what")}
      value={keyOf(source)}
      className={`${FIELD} w-[240px] xl:w-[300px]`}
      onChange={(event) => {
        const chosen = choices.find(({ key }) => key === event.currentTarget.value);
        if (chosen) void store.show(chosen.source);
      }}
    >
      {source === null && <option value="">{t(choices.length > 0 ? "choose" : "nothing")}</option>}
      {options.map(({ key, text }) => <option key={key} value={key}>{text}</option>)}
      {store.otherPersons.value.length > 0 && (
        <optgroup label={t("otherPersons")}>
          {store.otherPersons.value.map((visit, n) => (
            <option key={n} disabled className="text-gray-300">
              {otherPersonOf(visit, language)}
            </option>
          ))}
        </optgroup>
      )}
      {viewed.length > 0 && (
        <optgroup label={t("viewOnly")}>
          {viewed.map(({ key, text }) => <option key={key} value={key}>{text}</option>)}
        </optgroup>
      )}
      {unstored.length > 0 && (
        <optgroup label={t("notStored")}>
          {unstored.map((series, n) => (
            <option key={n} disabled className="text-gray-300">
              {t("storedSeries", {
                series: series.description || "–",
                files: String(series.files),
              })}
              {reasonOf(series, language)}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

/** Images that open beside each study, as a part of the user's hanging protocol. */
function HangingChoice({ session, store, language }: ComparePartProps) {
  useSignals();
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  return (
    <label className="flex items-center gap-2 text-xs text-gray-300 whitespace-nowrap">
      {t("opens")}
      <select
        value={session.hanging.value?.opens ?? "nothing"}
        title={t("opensHint")}
        className={FIELD}
        onChange={(event) => store.hang({ opens: event.currentTarget.value as HangingRule })}
      >
        {HANGING_RULES.map((rule) => (
          <option key={rule} value={rule}>{t(rule === "nothing" ? "alone" : rule)}</option>
        ))}
      </select>
    </label>
  );
}
