import { imageAddress, pictureAddress } from "@/model/acceptance/picture_address.ts";
import { type AcceptanceDetails, pictureAnswer } from "@/model/schema/report/acceptance.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { answerPicture } from "@/client/api/report/acceptance.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useText } from "@/client/page/language.ts";

interface PictureCheckProps {
  details: AcceptanceDetails;
  isBusy: boolean;
  onAct: (action: () => Promise<void>) => Promise<void>;
}

/**
 * Pictures of the selected studies, with buttons for the user's three answers.
 * The buttons are shown until the first signature.
 */
export function PictureCheck({ details: { test, pictures }, isBusy, onAct }: PictureCheckProps) {
  const text = useText(acceptanceText), isOpen = test.state === "checking";
  const readers = [...new Set(pictures.flatMap(({ answered_by }) => answered_by ?? []))];
  return (
    <>
      <p className="print:hidden mb-2 text-ink-soft">{text("checkHint")}</p>
      <ul className="acceptance-pictures grid grid-cols-[repeat(auto-fill,minmax(160px,1fr))] gap-3">
        {pictures.map(({ place, pid, answer }) => (
          <li key={place} className="flex flex-col gap-1 rounded-md border border-line p-2">
            <p className="flex justify-between gap-2">
              <span className="font-medium text-ink">
                {pid === null ? text("gone") : text("study", { pid })}
              </span>
              {pid !== null && (
                <a
                  href={pictureAddress(pid, { test: test.id, place })}
                  target="_blank"
                  rel="noreferrer"
                  className="print:hidden text-brand-700 underline"
                >
                  {text("view")}
                </a>
              )}
            </p>
            {pid !== null && (
              <img
                src={imageAddress({ test: test.id, place })}
                alt={text("picture", { pid })}
                loading="lazy"
                className="aspect-square w-full rounded bg-black object-contain"
              />
            )}
            {isOpen && (
              <fieldset className="print:hidden flex flex-wrap gap-1" disabled={isBusy}>
                <legend className="sr-only">{text("answers", { pid: pid ?? "–" })}</legend>
                {pictureAnswer.options.map((option) => (
                  <button
                    key={option}
                    type="button"
                    aria-pressed={answer === option}
                    onClick={() =>
                      void onAct(() => answerPicture(browserApi, { id: test.id, place }, option))}
                    className={`h-8 flex-1 whitespace-nowrap rounded-md border px-2 text-[13px] ${
                      answer === option
                        ? "border-brand-600 bg-brand-600 text-white"
                        : "border-line-strong bg-white text-ink"
                    }`}
                  >
                    {text(option)}
                  </button>
                ))}
              </fieldset>
            )}
            <p className={isOpen ? "hidden print:block" : ""}>
              {text(answer ?? "unanswered")}
            </p>
          </li>
        ))}
      </ul>
      {readers.length > 0 && (
        <p className="mt-1">{text("checkedBy", { users: readers.join(", ") })}</p>
      )}
    </>
  );
}
