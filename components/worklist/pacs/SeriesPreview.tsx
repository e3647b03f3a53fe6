import { useState } from "react";
import type { ArchivedSeriesFound } from "@/model/schema/connections/pacs.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { listArchivedSeries } from "@/client/api/connections/pacs.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { failureWords } from "@/client/tray/failure_words.ts";

interface SeriesPreviewProps {
  archive: number;
  studyUid: string;
  date: string | null;
}

/** Series of a study in an archive, requested when the user opens the preview. */
export function SeriesPreview({ archive, studyUid, date }: SeriesPreviewProps) {
  const text = useText(pacsText), language = useLanguage();
  const [isOpen, setOpen] = useState(false), [found, setFound] = useState<ArchivedSeriesFound>();
  const toggle = async () => {
    setOpen(!isOpen);
    if (isOpen || found) return;
    try {
      setFound(await listArchivedSeries(browserApi, archive, studyUid));
    } catch (error) {
      setOpen(false);
      presentError(error);
    }
  };
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={text("seriesOf", { date: date ?? "-" })}
        onClick={() => void toggle()}
        className="text-xs text-brand-700 hover:underline"
      >
        {text("series")}
      </button>
      {isOpen && (!found
        ? <p role="status" className="text-xs">{text("searching")}</p>
        : found.failure
        ? (
          <p role="alert" className="text-xs text-red-700">
            {failureWords(found.failure, language)}
          </p>
        )
        : (
          <ul className="text-xs text-ink-soft">
            {found.series.map(({ number, modality, description, images }, at) => (
              <li key={at}>
                {[number, modality, description || "-"].filter((part) =>
                  part !== null && part !== ""
                ).join(
                  " ",
                )}
                {images !== null && `, ${text("imagesOf", { n: images })}`}
              </li>
            ))}
          </ul>
        ))}
    </div>
  );
}
