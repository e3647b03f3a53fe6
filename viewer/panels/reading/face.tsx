import { useEffect, useState } from "react";
import { presentError } from "@/client/notices/present_error.ts";
import { FaceView } from "@/viewer/session/reading/face.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText as texts } from "@/model/text/viewer/viewer_reading.ts";

/**
 * While this panel is open, the panes show the defaced T1w images that would be sent for research.
 */
export function Face({ session, language }: { session: ViewerSession; language: Language }) {
  const [view] = useState(() => new FaceView(session));
  const [isRemoved, setRemoved] = useState(false), [isBusy, setBusy] = useState(false);
  // restores the original images when the panel is closed
  useEffect(() => () => void view.show(false).catch(presentError), [view]);
  const show = async (removed: boolean) => {
    setBusy(true);
    setRemoved(removed);
    try {
      await view.show(removed);
    } catch (error) {
      setRemoved(!removed);
      presentError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-2 p-2">
      <label className="flex items-center gap-2 text-sm text-gray-100">
        <input
          type="checkbox"
          checked={isRemoved}
          disabled={isBusy}
          onChange={(event) => void show(event.currentTarget.checked)}
        />
        {textIn(texts.faceRemoved, language)}
      </label>
      <p className="text-[11px] text-gray-400">{textIn(texts.faceHint, language)}</p>
    </div>
  );
}
