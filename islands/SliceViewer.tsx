import { useSignals } from "@preact/signals-react/runtime";
import {
  type ComponentType,
  memo,
  startTransition,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { startLoaderEarly } from "@/client/kernels/client.ts";
import { switchLanguage, useLanguage } from "@/client/page/language.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useStudyEvents } from "@/client/live/study_events.ts";
import { useUser } from "@/client/page/user.ts";
import { OverlayControls } from "@/viewer/panels/OverlayControls.tsx";
import { ViewerHeader } from "@/viewer/panels/ViewerHeader.tsx";
import { ViewerToolbar } from "@/viewer/panels/ViewerToolbar.tsx";
import { syncAddress } from "@/viewer/session/address.ts";
import { listenToKeys } from "@/viewer/input/keys.ts";
import { LoadPanel } from "@/viewer/panels/load_panel.tsx";
import { GRIDS, PLACES, SlicePane, ZoomButton } from "@/viewer/panels/pane.tsx";
import { ViewerSession } from "@/viewer/session/session.ts";
import { syncSettings, type ViewerSettings } from "@/viewer/session/settings.ts";
import { followPictures, keepRoom } from "@/viewer/session/first_pictures.ts";
import { StatusBar } from "@/viewer/session/status.tsx";
import { pictureIn, type PictureInTest } from "@/model/acceptance/picture_address.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import type { ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
import { type Language, textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import type { FirstField } from "@/model/viewer/first_picture.ts";
import type { PatientTexts, ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import { tabRefusal, VIEWER_TYPES } from "@/model/viewer/viewer_tabs.ts";
import { DEEP, jet, LESION_COLOURS, PERIVENTRICULAR } from "@/viewer/colours.ts";
import { layoutOf, type Place } from "@/viewer/layout.ts";
import { type Plane, PLANES } from "@/viewer/scene.ts";
import type { Measurement } from "@/viewer/slices/marks/measure.ts";

/** Data of the viewer page for one analysed study. */
export interface SliceViewerProps {
  patient: ViewerPatient;
  volume: ViewerVolume;
  settings: ViewerSettings;
  /** users' measurements on this study; absent: none */
  measured?: readonly Measurement[];
  /** patient name and quality notes in each language */
  texts?: Record<Language, PatientTexts>;
  /** signed text of the physician; absent if the core does not support signed texts */
  signed?: SignedText | null;
  /** panes with a server-rendered picture, and the field of view of that picture */
  pictured?: { planes: readonly Plane[]; field: FirstField | null };
  /** HTML of the server-rendered pictures; on the server only */
  pictures?: Partial<Record<Plane, string>>;
}

// in the browser, the worker with the kernels starts during hydration; the server only renders
if (typeof document !== "undefined") startLoaderEarly();

/** Components that load after the images, in separate chunks, and only in the browser. */
const SurfacePane = lazyPart(() => import("@/islands/SurfacePane.tsx"));
const SidePanel = lazyPart(() => import("@/viewer/panels/side_panel.tsx"));
const Tools = lazyPart(() => import("@/viewer/panels/tools.tsx"));
const HeaderTools = lazyPart<PartProps>(() => import("@/components/header/viewer_tools.tsx"));
const AcceptanceCheck = lazyPart(() => import("@/viewer/panels/reading/acceptance_check.tsx"));
const ShortcutHelp = lazyPart(() => import("@/viewer/panels/help.tsx"));

interface PartProps {
  session: ViewerSession;
  language: Language;
  signed?: SignedText | null;
}

/** Viewer of one patient: tabs, three linked planes, the surface and the side panel. */
export default function SliceViewer(
  { patient, volume, settings, measured, texts, signed, pictured, pictures }: SliceViewerProps,
) {
  const language = useLanguage(), latest = useRef(language);
  const [session] = useState(() => {
    const titleOf = (plane: Plane) => textIn(viewerText[plane], latest.current);
    const created = new ViewerSession(patient, volume, titleOf, measured);
    created.division.value = settings.division;
    created.hanging.value = settings.hanging;
    created.priority.value = new Set(settings.priority);
    if (pictured) created.cover(pictured.planes, pictured.field);
    return created;
  });
  const root = useRef<HTMLDivElement>(null);
  useStudyEvents(patient.pid, patient, session.follow);
  const user = useUser();
  useEffect(() => syncSettings(session, user, settings), [session, user, settings]);
  useEffect(() => {
    const element = root.current!;
    session.onPaneLoaded = (plane) =>
      element.dispatchEvent(new CustomEvent("viewer-loaded", { bubbles: true, detail: { plane } }));
    const stopFollowing = syncAddress(session), stopPictures = followPictures(session);
    const stopRoom = keepRoom(element.querySelector("[data-panes]")!);
    session.load();
    const stopKeys = listenToKeys(element, session);
    // Exposes the drawn state for benchmarks and end-to-end tests, only with `?testing`.
    if (new URLSearchParams(location.search).has("testing")) {
      Object.assign(globalThis, { sliceViewer: session });
    }
    return () => {
      stopFollowing();
      stopPictures();
      stopRoom();
      stopKeys();
      session.close();
    };
  }, [session]);
  useEffect(() => {
    if (latest.current === language) return;
    latest.current = language;
    document.title = `${textIn(viewerText.title, language)} · Sulcus`;
    session.renderer?.retitle();
  }, [session, language]);
  const choose = (next: Language) => {
    if (texts) Object.assign(session.patient, texts[next]);
    switchLanguage(next);
  };
  const tabs = VIEWER_TYPES.map((type) => {
    const refusal = tabRefusal(patient, type);
    return { type, refusal: refusal && textIn(viewerText[refusal], language) };
  });
  return (
    <div
      ref={root}
      data-testid="slice-viewer"
      className="flex flex-col h-screen min-h-[720px] min-w-[1024px] bg-black text-gray-200 overflow-hidden select-none"
    >
      <ViewerHeader
        patient={patient}
        tabs={tabs}
        type={session.type}
        onOpen={(type) => session.open(type)}
        language={language}
        onLanguage={choose}
      >
        {/* reserves the width of the button, so that the tabs do not move when the button loads */}
        <div className="flex justify-end items-center gap-2 min-w-[36px] shrink-0">
          <Later part={HeaderTools} session={session} language={language} />
        </div>
      </ViewerHeader>
      <Workspace session={session} language={language} signed={signed} pictures={pictures} />
      <StatusBar session={session} language={language} />
      <Help session={session} language={language} />
    </div>
  );
}

const css = (rgb: readonly number[]) => `rgb(${rgb.join(",")})`;
/** Base colours of the colour tables, for the colour bar and switches. */
const COLOURS = {
  thickness: Array.from({ length: 64 }, (_, n) => css(jet(n / 63))),
  deep: css(LESION_COLOURS[DEEP]),
  peri: css(LESION_COLOURS[PERIVENTRICULAR]),
};

/**
 * Component that loads after the page has mounted, in separate tasks,
 * so that other updates run before its first render.
 */
const Later = memo(
  function Later({ part: Part, ...props }: PartProps & { part: ComponentType<PartProps> }) {
    const [isMounted, setMounted] = useState(false);
    useEffect(() => startTransition(() => setMounted(true)), []);
    return isMounted && (
      <Suspense>
        <Part {...props} />
      </Suspense>
    );
  },
);

function Workspace(
  { session, language, signed, pictures }: PartProps & Pick<SliceViewerProps, "pictures">,
) {
  useSignals();
  const isReady = session.isReady.value, type = session.type.value;
  const { grid, places } = layoutOf(session.layout);
  const isPanelOpen = session.isPanelOpen.value, isBelow = session.compareLayout.value === "2x3";
  return (
    <main className="flex flex-col flex-1 min-h-0">
      <CrashBoundary>
        <OverlayControls
          tools={session}
          colours={COLOURS}
          normReason={session.patient.norm_reason}
          regionCount={REGIONS.length}
          language={language}
          isReady={isReady}
        />
      </CrashBoundary>
      <ViewerToolbar
        tools={session}
        language={language}
        isReady={isReady}
        hasFourPanes={type !== "wmh"}
      >
        {/* narrow windows have room for these tools before they are loaded */}
        <div className="later-tools">
          <Later part={Tools} session={session} language={language} />
        </div>
      </ViewerToolbar>
      <PictureOfTest session={session} language={language} />
      {/* the comparison's controls are above both studies, so that their panes have equal size */}
      <div data-compare-bar className="shrink-0" />
      <div
        role="tabpanel"
        id="viewer-tabpanel"
        aria-labelledby={`viewer-tab-${type}`}
        className="relative flex flex-1 min-h-0"
      >
        <div
          data-panes-room
          className={`relative flex flex-1 min-w-0 min-h-0 gap-px bg-gray-600 ${
            isBelow ? "flex-col" : ""
          }`}
        >
          <div
            data-panes
            className={`pane-grid relative flex-1 min-w-0 min-h-0 grid gap-px bg-gray-700 ${
              GRIDS[grid]
            }`}
          >
            {PLANES.map((plane) => (
              <CrashBoundary key={plane}>
                <SlicePane
                  plane={plane}
                  session={session}
                  language={language}
                  place={PLACES[places[plane]]}
                  picture={pictures?.[plane]}
                />
              </CrashBoundary>
            ))}
            <SurfaceCell session={session} language={language} place={places.surface} />
          </div>
        </div>
        {/* a closed panel is only hidden: it handles shortcuts (next lesion, other side) */}
        <aside
          aria-label={textIn(viewerText.sidePanel, language)}
          className={isPanelOpen
            ? "w-[320px] shrink-0 min-h-0 border-l border-gray-700 overflow-x-auto"
            : "hidden"}
        >
          <Later part={SidePanel} session={session} language={language} signed={signed} />
        </aside>
        <LoadPanel session={session} language={language} />
      </div>
    </main>
  );
}

/** Bar for rating the images of this study, if an acceptance test has opened the viewer. */
function PictureOfTest(props: PartProps) {
  const [at, setAt] = useState<PictureInTest | null>(null);
  useEffect(() => setAt(pictureIn(location.search)), []);
  return at && (
    <Suspense>
      <AcceptanceCheck {...props} at={at} />
    </Suspense>
  );
}

/** Pane of the surface: it loads when first visible and stays loaded while hidden. */
function SurfaceCell({ session, language, place }: PartProps & { place: Place }) {
  const [wasShown, setShown] = useState(false);
  useEffect(() => setShown((before) => before || place !== "hidden"), [place]);
  const hasSurface = session.patient.surface_files !== null;
  return (
    <div
      data-testid={hasSurface ? undefined : "surface-view"}
      className={`relative min-h-0 min-w-0 bg-black ${PLACES[place]}`}
    >
      {!hasSurface && (
        <p className="absolute inset-0 flex items-center justify-center text-sm text-gray-400">
          {textIn(viewerText.surfaceNone, language)}
        </p>
      )}
      {hasSurface && wasShown && (
        <Suspense>
          <SurfacePane session={session} language={language} />
        </Suspense>
      )}
      <ZoomButton
        pane="surface"
        name={textIn(viewerText.surface, language)}
        session={session}
        language={language}
      />
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
