// Tools with which a physician adds to a study: measurements, label corrections, key images.
// This code is loaded on demand.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useState } from "react";
import { checkUnsaved } from "@/client/page/unsaved_work.ts";
import { useUser } from "@/client/page/user.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { Choice } from "@/viewer/panels/controls.tsx";
import { CorrectSection } from "@/viewer/panels/reading/correct.tsx";
import { Face } from "@/viewer/panels/reading/face.tsx";
import { KeyImages } from "@/viewer/panels/reading/key_images.tsx";
import { MeasureSection } from "@/viewer/panels/reading/measure.tsx";
import { Correction } from "@/viewer/session/reading/correction.ts";
import { ReadingStore } from "@/viewer/session/reading/reading_store.ts";
import { TOOLS } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerReadingText as texts } from "@/model/text/viewer/viewer_reading.ts";

interface ReadingProps {
  session: ViewerSession;
  language: Language;
}

const SECTIONS = ["measure", "correct", "images", "face"] as const;

export default function Reading({ session, language }: ReadingProps) {
  useSignals();
  const [store] = useState(() => new ReadingStore(session));
  const [correction] = useState(() => new Correction(session));
  const [section, setSection] = useState<(typeof SECTIONS)[number]>("measure");
  const tools = session.tools.value, user = useUser(), uid = user?.user_id;
  useEffect(() => {
    store.start();
    return () => store.close();
  }, [store]);
  useEffect(() => {
    correction.start(uid);
    return () => correction.close();
  }, [correction, uid]);
  useEffect(
    () => checkUnsaved(() => correction.hasUnsaved || store.isBusy.peek()),
    [correction, store],
  );
  useEffect(() => {
    if (!tools) return;
    tools.brush.value = section === "correct" ? correction : null;
    return () => {
      tools.brush.value = null;
      // deselects the tool: no visible button would show that it is still active
      if (!TOOLS.some((tool) => tool === tools.tool.peek())) tools.tool.value = "crosshair";
    };
  }, [tools, correction, section]);
  const t = (key: keyof typeof texts) => textIn(texts[key], language);
  // without edit permission, the panel shows measurements of others, and stores no new ones
  const canEdit = userMay(user, "edit"), shared = { session, language, canEdit };
  return (
    <section
      aria-label={t("reading")}
      className="flex flex-col min-h-0 h-full bg-gray-900 text-gray-200"
    >
      <div className="flex items-center gap-2 px-2 py-2 border-b border-gray-700 shrink-0">
        <Choice
          name={t("reading")}
          value={section}
          options={SECTIONS.map((value) => ({ value, text: t(value) }))}
          onChoose={setSection}
        />
        <div className="flex-1" />
        <button
          type="button"
          aria-label={t("close")}
          title={t("close")}
          className="w-7 h-7 rounded text-gray-300 hover:bg-gray-800 outline-none focus-visible:ring-2 ring-cyan-400"
          onClick={() => session.isReadingOpen.value = false}
        >
          ×
        </button>
      </div>
      {section === "measure" && tools && <MeasureSection {...shared} tools={tools} store={store} />}
      {section === "correct" && tools && (
        <CorrectSection {...shared} tools={tools} correction={correction} />
      )}
      {section === "images" && <KeyImages {...shared} />}
      {section === "face" && <Face session={session} language={language} />}
    </section>
  );
}
