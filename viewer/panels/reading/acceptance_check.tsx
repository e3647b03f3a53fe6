// Answers about the segmentation of a study in an acceptance test, loaded on demand.
import { useEffect, useState } from "react";
import {
  type AcceptanceDetails,
  type PictureAnswer,
  pictureAnswer,
} from "@/model/schema/report/acceptance.ts";
import {
  imageAddress,
  pictureAddress,
  type PictureInTest,
} from "@/model/acceptance/picture_address.ts";
import { type Language, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { answerPicture, getAcceptance } from "@/client/api/report/acceptance.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useLetterKeys } from "@/viewer/input/letter_keys.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

/** Keys 7 to 9 give the three answers: the viewer uses the letters, and the digits up to 3. */
const KEYS: Readonly<Record<PictureAnswer, string>> = { right: "7", wrong: "8", unclear: "9" };
const LINK = "shrink-0 text-cyan-300 underline";

interface AcceptanceCheckProps {
  session: ViewerSession;
  language: Language;
  at: PictureInTest;
}

/** Bar with the user's three answers, by mouse or keyboard, shown until the first signature. */
export default function AcceptanceCheck({ session, language, at }: AcceptanceCheckProps) {
  const [details, setDetails] = useState<AcceptanceDetails | null>(null);
  const [isBusy, setBusy] = useState(false);
  const t = (key: keyof typeof acceptanceText, values?: Record<string, string | number>) =>
    textIn(acceptanceText[key], language, values);
  const load = () => getAcceptance(browserApi, at.test).then(setDetails, presentError);
  useEffect(() => void load(), []);
  const pictures = details?.pictures ?? [];
  // if the user edited the address, an answer must not be stored for another study
  const picture = pictures.find(({ place, pid }) =>
    place === at.place && pid === session.patient.pid
  );
  const isOpen = details?.test.state === "checking" && picture !== undefined;
  const answer = (given: PictureAnswer): boolean => {
    if (!isOpen || isBusy) return false;
    setBusy(true);
    void answerPicture(browserApi, { id: at.test, place: at.place }, given)
      .catch(presentError).then(load).finally(() => setBusy(false));
    return true;
  };
  useLetterKeys(session, Object.values(KEYS).join(""), (key) => {
    const given = pictureAnswer.options.find((option) => KEYS[option] === key);
    return given !== undefined && answer(given);
  });
  if (!details) return null;
  const answered = pictures.filter((each) => each.answer !== null);
  const open = pictures.filter((each) => each.answer === null && each.pid !== null);
  const next = open.find(({ place }) => place > at.place) ??
    open.find(({ place }) => place !== at.place);
  return (
    <section
      aria-label={t("sheet", { id: at.test })}
      data-testid="acceptance-check"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-gray-700 bg-gray-900 px-3 py-1.5 text-sm"
    >
      {!picture ? <p className="flex-1">{t("otherStudy")}</p> : (
        <>
          <img
            src={imageAddress(at)}
            alt={t("picture", { pid: picture.pid ?? "–" })}
            className="h-10 w-10 rounded bg-black object-contain"
          />
          <p>{t("inViewer", { id: at.test, n: at.place + 1, all: pictures.length })}</p>
          <div role="group" aria-label={t("answers", { pid: picture.pid ?? "–" })}>
            {pictureAnswer.options.map((option) => (
              <button
                key={option}
                type="button"
                disabled={!isOpen || isBusy}
                aria-pressed={picture.answer === option}
                aria-keyshortcuts={KEYS[option]}
                onClick={() => answer(option)}
                className={`mr-2 h-8 rounded border px-3 ${
                  picture.answer === option
                    ? "border-cyan-300 bg-cyan-800 text-white"
                    : "border-gray-500 bg-gray-800 text-gray-100 hover:bg-gray-700"
                }`}
              >
                {t(option)} <kbd className="text-xs text-gray-300">{KEYS[option]}</kbd>
              </button>
            ))}
          </div>
          <p className="flex-1 text-gray-300" role="status">
            {!isOpen
              ? t("answersClosed")
              : t("checkedCount", { n: answered.length, all: pictures.length })}
          </p>
        </>
      )}
      {isOpen && next?.pid && (
        <a href={pictureAddress(next.pid, { test: at.test, place: next.place })} className={LINK}>
          {t("nextPicture")}
        </a>
      )}
      <a href={`/acceptance#test-${at.test}`} className={LINK}>{t("open", { id: at.test })}</a>
    </section>
  );
}
