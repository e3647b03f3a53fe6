import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useState } from "react";
import { browserApi } from "@/client/browser_api.ts";
import { addKeyImage, listKeyImages, removeKeyImage } from "@/client/api/reading/key_images.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useUser } from "@/client/page/user.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { byWhom, SMALL } from "@/viewer/panels/reading/measure.tsx";
import { pictureOf } from "@/viewer/session/saved_picture.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { KeyImage } from "@/model/schema/reading/key_images.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText as texts } from "@/model/text/viewer/viewer_reading.ts";

/** Panel that lists the study's key images. */
export function KeyImages(
  { session, language, canEdit }: { session: ViewerSession; language: Language; canEdit: boolean },
) {
  useSignals();
  const [images, setImages] = useState<readonly KeyImage[]>([]),
    [isBusy, setBusy] = useState(false);
  const [note, setNote] = useState("");
  const timeZone = useTimeZone(), t = (key: keyof typeof texts) => textIn(texts[key], language);
  const isAdministrator = userMay(useUser(), "administer");
  const load = () => listKeyImages(browserApi, session.pid).then(({ images }) => setImages(images));
  useEffect(() => {
    load().catch(presentError);
    return onServerEvent((event) => {
      if (event.event === "study_reading" && event.pid === session.pid) load().catch(presentError);
    });
  }, [session]);
  const run = (work: () => Promise<unknown>) => {
    setBusy(true);
    work().then(load).catch(presentError).finally(() => setBusy(false));
  };
  const add = async () => {
    const panes = document.querySelector<HTMLElement>("[data-panes]")!;
    const picture = await pictureOf(panes, session, true, language);
    await addKeyImage(browserApi, session.pid, picture, note);
    setNote("");
  };
  const remove = async ({ id }: KeyImage) => {
    if (await confirmInModal("key_image.remove")) {
      run(() => removeKeyImage(browserApi, session.pid, id));
    }
  };
  return (
    <>
      <div className="flex flex-col gap-2 p-2 border-b border-gray-700 shrink-0">
        <input
          value={note}
          maxLength={80}
          aria-label={t("note")}
          placeholder={t("note")}
          className="h-8 bg-gray-800 border border-gray-500 rounded px-2 text-sm text-gray-100 outline-none focus-visible:ring-2 ring-cyan-400"
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <button
          type="button"
          className={SMALL}
          disabled={isBusy || !canEdit}
          onClick={() => run(add)}
        >
          {t("addImage")}
        </button>
        <p className="text-[11px] text-gray-400">{t("imagesHint")}</p>
      </div>
      <div className="flex-1 min-h-0 overflow-y-auto p-2">
        {images.length === 0 && <p className="text-sm text-gray-300">{t("noImages")}</p>}
        {images.map((image) => (
          <figure key={image.id} className="mb-3" data-testid="key-image">
            <img
              src={image.url}
              alt={image.note || t("images")}
              className="w-full border border-gray-700"
            />
            <figcaption className="flex items-center gap-2 mt-1 text-xs text-gray-200">
              <span className="flex-1">
                {image.note && <span className="block text-gray-100">{image.note}</span>}
                <span className="text-[11px] text-gray-400">
                  {byWhom(image.created_by, image.created_at, timeZone, language)}
                </span>
              </span>
              {(image.is_own || isAdministrator) && (
                <button
                  type="button"
                  className={SMALL}
                  disabled={isBusy || !canEdit}
                  onClick={() => void remove(image)}
                >
                  {t("remove")}
                </button>
              )}
            </figcaption>
          </figure>
        ))}
      </div>
    </>
  );
}
