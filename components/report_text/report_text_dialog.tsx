// The physician's text: suggested, edited, signed; loaded on demand.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { type OpinionEdit, OPINIONS, opinionText } from "@/model/report/opinions.ts";
import {
  MAX_REPORT_TEXT,
  MAX_REPORT_TEXT_LINES,
  storedText,
  textSize,
} from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { reportTextText } from "@/model/text/report/report_text_dialog.ts";
import { findSettings } from "@/client/api/site/settings.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useMay } from "@/client/page/user.ts";
import { useUnsavedEdits } from "@/components/administration/unsaved_edits.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { INPUT } from "@/components/fields.tsx";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { TextConflict, TextStatus, TextVersions } from "@/components/report_text/TextVersions.tsx";
import { type ReportTextState, useReportText } from "@/components/report_text/use_report_text.ts";

interface ReportTextDialogProps {
  pid: number;
  /** language in which the report is shown */
  language: Language;
  /** called after the text was saved or signed, or a signature withdrawn */
  onChanged: () => void;
  onClose: () => void;
}

/** Opinions with the user's edits; default texts until the settings are loaded. */
function useOpinionEdits(): readonly OpinionEdit[] {
  const [edits, setEdits] = useState<readonly OpinionEdit[]>([]);
  useEffect(() => {
    findSettings(browserApi).then(
      (found) => setEdits(found === "unknown" ? [] : found?.individual.report_result ?? []),
      () => undefined,
    );
  }, []);
  return edits;
}

/** Text editor, with sentences to insert below the text. */
function TextEditor({ state, language }: { state: ReportTextState; language: Language }) {
  const text = useText(reportTextText), pageLanguage = useLanguage(), edits = useOpinionEdits();
  const area = useRef<HTMLTextAreaElement>(null), textId = useId(), countId = useId();
  // loaded after the dialog has opened and set the focus
  useEffect(() => area.current?.focus(), []);
  /** Inserts a sentence at the cursor, on a separate line. */
  const insert = (words: string) => {
    const { selectionStart: from, selectionEnd: to } = area.current!,
      before = state.text.slice(0, from);
    const gap = before === "" || before.endsWith("\n") ? "" : "\n";
    state.edit(`${before}${gap}${words}${state.text.slice(to)}`);
    area.current!.focus();
  };
  const saveByKey = (event: KeyboardEvent) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (state.isEdited && !state.isTooLong && !state.conflict) void state.save();
  };
  const { letters } = textSize(storedText(state.text));
  return (
    <div>
      <label htmlFor={textId} className="block mb-1 font-semibold text-ink">{text("text")}</label>
      <textarea
        ref={area}
        id={textId}
        rows={11}
        lang={language}
        value={state.text}
        aria-describedby={countId}
        aria-invalid={state.isTooLong}
        onKeyDown={saveByKey}
        onChange={({ currentTarget }) => state.edit(currentTarget.value)}
        className="w-full resize-y rounded-md border border-line-strong bg-white px-3 py-2 text-sm text-ink"
      />
      <p
        id={countId}
        role={state.isTooLong ? "alert" : undefined}
        className={`mb-2 text-xs ${state.isTooLong ? "text-red-700" : "text-ink-soft"}`}
      >
        {state.isTooLong
          ? text("tooLong", { max: MAX_REPORT_TEXT, lines: MAX_REPORT_TEXT_LINES })
          : text("count", { count: letters, max: MAX_REPORT_TEXT })}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label={text("block")}
          value=""
          onChange={({ currentTarget: { value } }) => {
            const opinion = OPINIONS.find(({ key }) => key === value);
            if (opinion) insert(opinionText(opinion.key, language, edits).message);
          }}
          className={`${INPUT} min-w-0 max-w-full`}
        >
          <option value="">{text("chooseBlock")}</option>
          {OPINIONS.map(({ key, name }) => (
            <option key={key} value={key}>{name[pageLanguage]}</option>
          ))}
        </select>
        <Button size="small" onClick={() => insert(state.stored!.suggestion)}>
          {text("suggestion")}
        </Button>
      </div>
    </div>
  );
}

/** Buttons in the footer of the dialog. */
function TextActions({ state, onClose }: { state: ReportTextState; onClose: () => void }) {
  const text = useText(reportTextText), common = useText(commonText), maySign = useMay("sign");
  const { stored, busy, conflict, isEdited, isTooLong } = state;
  const signed = stored?.signed ?? null, words = storedText(state.text);
  const isSignedAsIs = signed !== null && !signed.is_outdated && signed.text === words;
  const isBlocked = stored === null || busy !== null || conflict !== null || isTooLong;
  return (
    <>
      {maySign && signed && (
        <Button
          kind="quiet"
          className="mr-auto"
          disabled={busy !== null || conflict !== null || isEdited}
          onClick={() => void state.withdraw()}
        >
          {text("withdraw")}
        </Button>
      )}
      <Button onClick={onClose}>{common("close")}</Button>
      <Button disabled={isBlocked || !isEdited} onClick={() => void state.save()}>
        {text(busy === "save" ? "saving" : "save")}
      </Button>
      {maySign && (
        <Button
          kind="primary"
          disabled={isBlocked || words === "" || isSignedAsIs}
          onClick={() => void state.sign()}
        >
          {text(busy === "sign" ? "saving" : "sign")}
        </Button>
      )}
    </>
  );
}

export default function ReportTextDialog(
  { pid, language, onChanged, onClose }: ReportTextDialogProps,
) {
  const text = useText(reportTextText), common = useText(commonText), pageLanguage = useLanguage();
  const state = useReportText(pid, language, onChanged), { stored, failure, done } = state;
  useUnsavedEdits(state.isEdited);
  const close = async () => {
    if (await state.mayClose()) onClose();
  };
  return (
    <Dialog
      title={text("title")}
      width="w-[720px]"
      closeLabel={common("close")}
      onClose={() => void close()}
      footer={<TextActions state={state} onClose={() => void close()} />}
    >
      {failure
        ? (
          <LoadFailure
            title={text("failedToLoad")}
            reason={messageOf(failure.code, failure.details, pageLanguage)}
            retryLabel={common("retry")}
            onRetry={() => void state.load()}
          />
        )
        : stored && (
          <div className="flex flex-col gap-3">
            <TextStatus stored={stored} />
            {/* above the text: the findings below it can be longer than the window */}
            {state.conflict && <TextConflict state={state} theirs={state.conflict} />}
            <TextEditor state={state} language={language} />
            <p role="status" className="min-h-[20px] font-medium text-brand-700">
              {done && text(done === "sign" ? "doneSigned" : "done")}
            </p>
            {state.beside.length > 0 && (
              <section role="status" className="rounded-md border border-line-strong bg-canvas p-3">
                <p className="font-medium text-red-700">{text("beside")}</p>
                {state.beside.map((sentence) => (
                  <p key={sentence} lang={language} className="mt-1 text-ink">{sentence}</p>
                ))}
              </section>
            )}
            <p className="text-[13px] leading-snug">{text("hint")}</p>
            <TextVersions state={state} stored={stored} />
          </div>
        )}
    </Dialog>
  );
}
