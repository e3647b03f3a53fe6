import { saveFile } from "@/client/files/save_file.ts";
import { presentToast } from "@/client/notices/present_error.ts";
import { siteTimeZone } from "@/client/page/time_zone.ts";
import { type Language, textIn } from "@/model/text.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { shownWindow } from "@/viewer/scene.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { compositeSnapshot, drawnIn, pngOf, type SnapshotText } from "@/viewer/slices/snapshot.ts";

function wordsOf(session: ViewerSession, isAnonymous: boolean, language: Language): SnapshotText {
  const { patient } = session, type = session.type.peek();
  const sex = patient.patient_sex && textIn(viewerText[patient.patient_sex], language);
  const age = patient.patient_age === null
    ? null
    : textIn(viewerText.years, language, { age: patient.patient_age });
  const date = patient.study_date &&
    textIn(viewerToolsText.study, language, { date: patient.study_date });
  const who = isAnonymous
    ? [textIn(viewerToolsText.anonymousWords, language), sex, age]
    : [patient.patient_id, patient.patient_name, sex, age, date];
  const time = minuteIn(siteTimeZone(), Date.now());
  const [width, level] = shownWindow(session.scene);
  return {
    identity: who.filter(Boolean).join("  ·  "),
    subject: [
      textIn(viewerText[type], language),
      textIn(viewerText[session.convention.peek()], language),
      `W ${width}  L ${level}`,
    ].join("  ·  "),
    source: isAnonymous ? "Sulcus" : `Sulcus  ·  ${time}`,
  };
}

/**
 * Makes an image of the current views and compared images.
 * Patient, captions and time are burned in.
 */
export async function pictureOf(
  panes: HTMLElement,
  session: ViewerSession,
  isAnonymous: boolean,
  language: Language,
): Promise<Blob> {
  session.renderer?.drawNow();
  const ratio = Math.max(1, globalThis.devicePixelRatio || 1);
  const words = wordsOf(session, isAnonymous, language);
  const room = panes.parentElement!;
  return await pngOf(compositeSnapshot(drawnIn(room), room.getBoundingClientRect(), words, ratio));
}

/** Starts a download of the image; the file name contains no patient data. */
export async function savePicture(
  panes: HTMLElement,
  session: ViewerSession,
  isAnonymous: boolean,
  language: Language,
): Promise<void> {
  try {
    saveFile(
      await pictureOf(panes, session, isAnonymous, language),
      `sulcus_${isAnonymous ? "anonymous" : session.pid}_${session.type.peek()}.png`,
    );
  } catch {
    presentToast("picture.failed");
  }
}

/** Runs a clipboard call and shows whether the call succeeded. */
async function copied(copy: () => Promise<void>): Promise<void> {
  try {
    await copy();
    presentToast("clipboard.copied");
  } catch {
    presentToast("clipboard.failed");
  }
}

export const copyPicture = (
  panes: HTMLElement,
  session: ViewerSession,
  isAnonymous: boolean,
  language: Language,
): Promise<void> =>
  copied(async () => {
    const png = pictureOf(panes, session, isAnonymous, language);
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
  });

/** Copies the URL of this view, which opens the view for users with access to the patient. */
export const copyLink = (session: ViewerSession): Promise<void> =>
  copied(() => {
    // updated explicitly, because the address follows the view with a delay
    session.writeAddress();
    return navigator.clipboard.writeText(location.href);
  });
