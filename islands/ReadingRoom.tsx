// Page of a reading study: the next case, without the patient's identity, and the answer form.
import { useSignals } from "@preact/signals-react/runtime";
import { Suspense, useEffect, useRef, useState } from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { AnswerForm, type AnswerFormProps } from "@/components/reading_study/AnswerForm.tsx";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import {
  answerReading,
  getReadingTask,
  readingFilePath,
} from "@/client/api/reading/reading_studies.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useUser } from "@/client/page/user.ts";
import { readingKey, VisibleTime } from "@/client/page/visible_time.ts";
import { AppError, asAppError } from "@/model/errors.ts";
import { blindedPatient } from "@/model/reading_study/blinded_patient.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type {
  NextReading,
  ReadingAnswer,
  ReadingTask,
} from "@/model/schema/reading/reading_studies.ts";
import { type Language, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { tabRefusal, VIEWER_TYPES, type ViewerType } from "@/model/viewer/viewer_tabs.ts";
import { DEEP, jet, LESION_COLOURS, PERIVENTRICULAR } from "@/viewer/colours.ts";
import { listenToKeys } from "@/viewer/input/keys.ts";
import { layoutOf } from "@/viewer/layout.ts";
import { LoadPanel } from "@/viewer/panels/load_panel.tsx";
import { OverlayControls } from "@/viewer/panels/OverlayControls.tsx";
import { GRIDS, PLACES, SlicePane } from "@/viewer/panels/pane.tsx";
import { ViewerToolbar } from "@/viewer/panels/ViewerToolbar.tsx";
import { type Plane, PLANES } from "@/viewer/scene.ts";
import { ViewerSession } from "@/viewer/session/session.ts";

const SidePanel = lazyPart(() => import("@/viewer/panels/side_panel.tsx"));
const ShortcutHelp = lazyPart(() => import("@/viewer/panels/help.tsx"));

const css = (rgb: readonly number[]) => `rgb(${rgb.join(",")})`;
const COLOURS = {
  thickness: Array.from({ length: 64 }, (_, n) => css(jet(n / 63))),
  deep: css(LESION_COLOURS[DEEP]),
  peri: css(LESION_COLOURS[PERIVENTRICULAR]),
};
const LIST = "/reading-studies";
/** Errors after which the page requests the next case: this one is answered or out of order. */
const MOVED_ON: readonly string[] = ["reading_study.answered", "reading_study.not_next"];

/** Shows the signed-in physician's cases of one reading study, one after another. */
export default function ReadingRoom({ id }: { id: number }) {
  const text = useText(readingStudyText), common = useText(commonText);
  const [task, setTask] = useState<ReadingTask | null>(null);
  const [error, setError] = useState<AppError | null>(null);
  const load = async () => {
    setTask(null);
    setError(null);
    await getReadingTask(browserApi, id).then(setTask, (failure) => setError(asAppError(failure)));
  };
  useEffect(() => void load(), []);
  if (error) return <Refusal error={error} />;
  if (!task) return <p role="status" className="p-6">{common("loading")}…</p>;
  if (!task.reading) {
    return (
      <MessagePage
        mark={text("title")}
        title={text("done")}
        action={{ label: text("back"), href: LIST }}
      />
    );
  }
  return (
    <CrashBoundary>
      <Reading
        key={task.reading.place}
        id={id}
        task={task}
        reading={task.reading}
        onNext={() => void load()}
      />
    </CrashBoundary>
  );
}

/** Text that explains why there is no case to read: the end of a washout period, or an error. */
function Refusal({ error }: { error: AppError }) {
  const text = useText(readingStudyText), timeZone = useTimeZone(), language = useLanguage();
  const { until } = error.details;
  const isWashout = error.code === "reading_study.washout" && typeof until === "string";
  return (
    <MessagePage
      mark={text("title")}
      title={isWashout
        ? text("waits", { date: minuteIn(timeZone, Date.parse(until)) })
        : text("cannotOpen")}
      text={isWashout ? undefined : messageOf(error.code, {}, language)}
      action={{ label: text("back"), href: LIST }}
    />
  );
}

interface ReadingProps {
  id: number;
  task: ReadingTask;
  reading: NextReading;
  onNext: () => void;
}

function createSession(
  { id, reading }: Pick<ReadingProps, "id" | "reading">,
  latest: { current: Language },
): ViewerSession {
  const { place, arm, volume } = reading;
  const patient = blindedPatient(
    reading,
    (file) => readingFilePath(id, place, file),
    latest.current,
  );
  const session = new ViewerSession(
    patient,
    volume,
    (plane: Plane) => textIn(viewerText[plane], latest.current),
  );
  session.division.value = 3;
  if (arm === "without") session.overlays.wmh.isVisible.value = false;
  return session;
}

/** Shows one case with the form for its answer. */
function Reading({ id, task, reading, onNext }: ReadingProps) {
  const language = useLanguage(), latest = useRef(language), root = useRef<HTMLDivElement>(null);
  const [session] = useState(() => createSession({ id, reading }, latest));
  const [isBusy, setBusy] = useState(false);
  const time = useRef<VisibleTime | null>(null), isAnswered = useRef(false);
  const { place } = reading, userId = useUser()?.user_id ?? 0;
  useEffect(() => {
    const visible = time.current = new VisibleTime(readingKey(userId, id, place));
    // the reading time starts when the images are shown, not with the form
    const stopWaiting = session.loading.subscribe(({ kind }) => {
      if (kind === "loaded") visible.start();
    });
    const keep = () => visible.save();
    addEventListener("pagehide", keep);
    void session.load();
    const stopKeys = listenToKeys(root.current!, session);
    return () => {
      stopWaiting();
      removeEventListener("pagehide", keep);
      visible.close({ isKept: !isAnswered.current });
      stopKeys();
      session.close();
    };
  }, [session]);
  const submit = async (
    answer: Pick<ReadingAnswer, "rating" | "decision" | "region">,
    words: string,
  ) => {
    const visible_ms = time.current!.totalMs, { pauses } = time.current!;
    if (!await confirmInModal("reading_study.answer", { answer: words })) return;
    setBusy(true);
    try {
      await answerReading(browserApi, { id, place }, { ...answer, visible_ms, pauses });
      isAnswered.current = true;
      onNext();
    } catch (error) {
      presentError(error);
      // goes on to the next case if the server has stored the answer and only its response was lost
      if (MOVED_ON.includes(asAppError(error).code)) onNext();
    } finally {
      setBusy(false);
    }
  };
  return (
    <div
      ref={root}
      data-testid="reading-room"
      className="flex flex-col h-screen min-h-[720px] min-w-[1024px] bg-black text-gray-200 overflow-hidden select-none"
    >
      <Head task={task} reading={reading} session={session} language={language} />
      <Workspace session={session} language={language} arm={reading.arm}>
        <AnswerToImages
          session={session}
          task={task}
          isBusy={isBusy}
          onSubmit={(answer, words) => void submit(answer, words)}
        />
      </Workspace>
      <Help session={session} language={language} />
    </div>
  );
}

/** Form for the answer; disabled until the images are shown. */
function AnswerToImages(
  { session, ...form }: Omit<AnswerFormProps, "isReady"> & { session: ViewerSession },
) {
  useSignals();
  return <AnswerForm {...form} isReady={session.loading.value.kind === "loaded"} />;
}

interface PartProps {
  session: ViewerSession;
  language: Language;
}

/** Name of a viewer tab; in an arm of the study without results, the name of the image series. */
function tabName(type: ViewerType, arm: NextReading["arm"], language: Language): string {
  if (arm === "with") return textIn(viewerText[type], language);
  return textIn(readingStudyText[type === "wmh" ? "flair" : "t1w"], language);
}

function Head(
  { task, reading, session, language }: PartProps & Pick<ReadingProps, "task" | "reading">,
) {
  useSignals();
  const text = useText(readingStudyText), { arm } = reading;
  const types = VIEWER_TYPES.filter((type) => tabRefusal(session.patient, type) === null);
  return (
    <header className="flex items-center gap-4 h-12 px-3 bg-gray-900 border-b border-gray-700 shrink-0">
      <h1 className="text-sm font-semibold text-white truncate">{task.title}</h1>
      <p className="text-sm whitespace-nowrap">
        {text("place", { n: task.done + 1, total: task.total })}
      </p>
      <p className="text-sm whitespace-nowrap text-cyan-200" data-testid="reading-arm">
        {text(arm === "with" ? "armWith" : "armWithout")}
      </p>
      <div role="group" aria-label={text("series")} className="flex flex-1 justify-center gap-1">
        {types.map((type) => (
          <button
            key={type}
            type="button"
            aria-pressed={session.type.value === type}
            onClick={() => session.open(type)}
            className={`h-8 px-3 rounded text-sm whitespace-nowrap ${
              session.type.value === type
                ? "bg-gray-700 text-white font-semibold"
                : "text-gray-300 hover:bg-gray-800"
            }`}
          >
            {tabName(type, arm, language)}
          </button>
        ))}
      </div>
      <a href={LIST} className="px-2 py-1.5 rounded text-sm text-gray-200 hover:bg-gray-800">
        {text("pause")}
      </a>
    </header>
  );
}

function Workspace(
  { session, language, arm, children }: PartProps & Pick<NextReading, "arm"> & {
    children: React.ReactNode;
  },
) {
  useSignals();
  const isReady = session.isReady.value, { grid, places } = layoutOf(session.layout);
  return (
    <div className="flex flex-col flex-1 min-h-0">
      {arm === "with" && (
        <OverlayControls
          tools={session}
          colours={COLOURS}
          normReason={session.patient.norm_reason}
          regionCount={REGIONS.length}
          language={language}
          isReady={isReady}
        />
      )}
      <ViewerToolbar
        tools={session}
        language={language}
        isReady={isReady}
        hasFourPanes={false}
        hasPanel={arm === "with"}
      />
      <div className="relative flex flex-1 min-h-0">
        <div
          data-panes
          className={`pane-grid relative flex-1 min-w-0 min-h-0 grid gap-px bg-gray-700 ${
            GRIDS[grid]
          }`}
        >
          {PLANES.map((plane) => (
            <SlicePane
              key={plane}
              plane={plane}
              session={session}
              language={language}
              place={PLACES[places[plane]]}
            />
          ))}
        </div>
        <aside className="flex w-[320px] shrink-0 min-h-0 flex-col border-l border-gray-700 bg-gray-900">
          {children}
          {arm === "with" && session.isPanelOpen.value && (
            <div className="flex-1 min-h-0">
              <Suspense>
                <SidePanel session={session} language={language} />
              </Suspense>
            </div>
          )}
        </aside>
        <LoadPanel session={session} language={language} />
      </div>
    </div>
  );
}

function Help({ session, language }: PartProps) {
  useSignals();
  if (!session.isHelpOpen.value) return null;
  return (
    <Suspense>
      <ShortcutHelp
        language={language}
        presenter={session.presenter.value}
        onPresenter={(kind) => void session.setPresenter(kind)}
        onClose={() => session.isHelpOpen.value = false}
      />
    </Suspense>
  );
}
