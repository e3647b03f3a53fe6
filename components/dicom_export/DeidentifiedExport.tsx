import { useState } from "react";
import type { DeidentifyQuery } from "@/model/schema/report/dicom.ts";
import { type Language, textIn } from "@/model/text.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { Button } from "@/components/Button.tsx";

interface DeidentifiedExportProps {
  isBusy: boolean;
  onSave: (query: DeidentifyQuery) => void;
  /** whether to show a heading above this section */
  isTitled: boolean;
  language: Language;
}

const DATES = [["removed", "datesRemoved"], ["shifted", "datesShifted"]] as const;

/** Export of de-identified images, after the user has confirmed that faces remain. */
export function DeidentifiedExport(
  { isBusy, onSave, isTitled, language }: DeidentifiedExportProps,
) {
  const [dates, setDates] = useState<DeidentifyQuery["dates"]>("removed"),
    [isKnown, setKnown] = useState(false);
  const t = (key: keyof typeof dicomText) => textIn(dicomText[key], language);
  return (
    <section aria-label={t("deidentifyTitle")}>
      {isTitled && <h3 className="text-sm font-semibold text-ink">{t("deidentifyTitle")}</h3>}
      <p>{t("deidentifyText")}</p>
      <div className="mt-3 rounded-md bg-amber-50 border border-amber-300 px-3 py-2 text-amber-900">
        <p className="font-semibold">{t("facesTitle")}</p>
        <p>{t("faces")}</p>
      </div>
      <fieldset className="mt-3">
        <legend className="text-[13px] font-semibold text-ink">{t("dates")}</legend>
        {DATES.map(([value, name]) => (
          <label key={value} className="flex items-start gap-2.5 py-1 text-ink">
            <input
              type="radio"
              name="deidentify-dates"
              className="w-4 h-4 mt-1 shrink-0 accent-brand-600"
              checked={dates === value}
              onChange={() =>
                setDates(value)}
            />
            {t(name)}
          </label>
        ))}
      </fieldset>
      <div className="flex items-center justify-between gap-3 mt-3">
        <label className="flex items-center gap-2.5 font-medium text-ink">
          <input
            type="checkbox"
            className="w-4 h-4 shrink-0 accent-brand-600"
            checked={isKnown}
            onChange={(event) => setKnown(event.currentTarget.checked)}
          />
          {t("accept")}
        </label>
        <Button
          kind={isTitled ? "plain" : "primary"}
          disabled={!isKnown || isBusy}
          onClick={() => onSave({ dates })}
        >
          {isBusy ? t("preparing") : t("save")}
        </Button>
      </div>
    </section>
  );
}
