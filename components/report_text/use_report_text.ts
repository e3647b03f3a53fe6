import { useEffect, useRef, useState } from "react";
import { isHeader, sentencesBeside } from "@/model/findings/agreement.ts";
import { type AppError, asAppError } from "@/model/errors.ts";
import {
  isWithinLimits,
  type ReportTextAnswer,
  storedText,
  type TextVersion,
} from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import {
  getReportText,
  saveReportText,
  signReportText,
  withdrawSignature,
} from "@/client/api/report/report_text.ts";
import { browserApi } from "@/client/browser_api.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { useUser } from "@/client/page/user.ts";

type Busy = "save" | "sign" | "withdraw";

/** State of the report text dialog, and the dialog's actions. */
export interface ReportTextState {
  /** text on the server; `null` before the text is loaded */
  stored: ReportTextAnswer | null;
  failure: AppError | null;
  text: string;
  busy: Busy | null;
  done: Busy | null;
  /** newer version of another author, which must be resolved before saving */
  conflict: TextVersion | null;
  isEdited: boolean;
  isTooLong: boolean;
  /** findings of the software that the text does not repeat; they are printed next to the text */
  beside: readonly string[];
  load(): Promise<void>;
  edit(text: string): void;
  save(): Promise<void>;
  sign(): Promise<void>;
  withdraw(): Promise<void>;
  /** after a conflict: keeps the user's text and bases it on the newest version */
  keepMine(): void;
  /** loads a version into the editor; asks first if this replaces unsaved text */
  take(version: TextVersion): Promise<void>;
  /** whether the dialog may close; asks first if there is unsaved text */
  mayClose(): Promise<boolean>;
}

/** Initial text of the editor: the newest version, or the suggested sentences. */
const firstText = ({ versions, suggestion }: ReportTextAnswer): string =>
  versions[0]?.text ?? suggestion;

/**
 * State of a study's text during editing.
 * @param language Language of the report, the suggested sentences and the text.
 * @param onChanged Called after the text was stored.
 */
export function useReportText(
  pid: number,
  language: Language,
  onChanged: () => void,
): ReportTextState {
  const [stored, setStored] = useState<ReportTextAnswer | null>(null);
  const [failure, setFailure] = useState<AppError | null>(null);
  const [text, setText] = useState(""), [saved, setSaved] = useState("");
  const [busy, setBusy] = useState<Busy | null>(null),
    [done, setDone] = useState<Busy | null>(null);
  const [conflict, setConflict] = useState<TextVersion | null>(null);
  const user = useUser(), isEdited = storedText(text) !== storedText(saved);

  const adopt = (answer: ReportTextAnswer) => {
    setStored(answer);
    setText(firstText(answer));
    setSaved(firstText(answer));
    setConflict(null);
  };
  const load = async () => {
    setFailure(null);
    try {
      adopt(await getReportText(browserApi, pid, language));
    } catch (error) {
      setFailure(asAppError(error));
    }
  };
  useEffect(() => void load(), [pid, language]);

  // takes over the hash of new results only on the first load
  // or after a refused signature: until then, the server refuses to sign
  /** Loads versions of other authors; the text in the editor is kept. */
  const refresh = async () => {
    const reportText = await getReportText(browserApi, pid, language);
    const results = stored?.results ?? reportText.results, newest = reportText.versions[0];
    if (newest && newest.version !== stored?.version) {
      if (isEdited) setConflict(newest);
      else return adopt({ ...reportText, results });
    }
    setStored((before) => before && { ...reportText, results, version: before.version });
  };
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() =>
    onServerEvent((event) => {
      if (event.event === "study_reading" && event.pid === pid && event.uid !== user?.user_id) {
        latest.current().catch(() => undefined);
      }
    }), [pid, user]);

  const run = async (what: Busy, call: (now: ReportTextAnswer) => Promise<ReportTextAnswer>) => {
    if (!stored || busy) return;
    setBusy(what);
    setDone(null);
    try {
      adopt({ ...await call(stored), results: stored.results });
      setDone(what);
      onChanged();
    } catch (error) {
      const { code } = asAppError(error);
      // the other author's version is shown next to the editor
      if (code !== "text.changed") presentError(error);
      if (code === "text.changed" || code === "text.results_changed") {
        await showOthers().catch(presentError);
      }
    } finally {
      setBusy(null);
    }
  };
  /** After a refusal, loads the newest version and keeps the text in the editor. */
  const showOthers = async () => {
    const reportText = await getReportText(browserApi, pid, language),
      newest = reportText.versions[0];
    if (newest && newest.version !== stored?.version) setConflict(newest);
    setStored((before) => before && { ...reportText, version: before.version });
  };
  const conclusion = stored?.conclusion ?? null;
  const beside = conclusion
    ? sentencesBeside({ text, language }, conclusion).map((at) => conclusion.sentences[at]!)
    : [];
  const sign = async () => {
    const [finding] = beside.filter((sentence) => !isHeader(sentence));
    if (finding !== undefined && !await confirmInModal("text.beside", { finding })) return;
    await run(
      "sign",
      (now) => signReportText(browserApi, pid, { ...put(now), results: now.results }),
    );
  };
  const put = ({ version }: ReportTextAnswer) => ({ based_on: version, language, text });
  const mayDiscard = async () => !isEdited || await confirmInModal("changes.discard");
  return {
    stored,
    failure,
    text,
    busy,
    done,
    conflict,
    isEdited,
    beside,
    isTooLong: !isWithinLimits(storedText(text)),
    load,
    edit: (next) => {
      setDone(null);
      setText(next);
    },
    save: () => run("save", (now) => saveReportText(browserApi, pid, put(now))),
    sign,
    withdraw: () =>
      run(
        "withdraw",
        (now) => withdrawSignature(browserApi, pid, { based_on: now.version, language }),
      ),
    keepMine: () => {
      setStored((now) => now && conflict && { ...now, version: conflict.version });
      setSaved(conflict?.text ?? saved);
      setConflict(null);
    },
    take: async (version) => {
      if (!await mayDiscard()) return;
      setText(version.text);
      setStored((now) => now && { ...now, version: now.versions[0]?.version ?? 0 });
      setSaved(stored?.versions[0]?.text ?? "");
      setConflict(null);
    },
    mayClose: mayDiscard,
  };
}
