import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { type Language, textIn } from "@/model/text.ts";
import { isUploadReason, reasonIn } from "@/model/text/worklist/upload.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";

const SHOWN_NAMES = 100;

/** What is wrong with a file, and what to do. `otherwise` is the text of the failure's code. */
const reasonOf = ({ reason, details }: UploadFailure, language: Language, otherwise: string): string =>
  isUploadReason(reason) ? reasonIn(language, reason, details) : otherwise;

interface RejectedFilesProps {
  failures: readonly UploadFailure[];
  language: Language;
  /** text of an error code */
  messageOf: (code: string) => string;
}

/** Files that did not go in, grouped by what is wrong with them. */
export function RejectedFiles({ failures, language, messageOf }: RejectedFilesProps) {
  const groups = new Map<string, string[]>();
  for (const failure of failures) {
    const reason = reasonOf(failure, language, messageOf(failure.code));
    groups.set(reason, [...groups.get(reason) ?? [], failure.file_name]);
  }
  const say = (key: keyof typeof uploadDialogText, values: Record<string, number> = {}) =>
    textIn(uploadDialogText[key], language, values);
  return (
    <ul className="mt-4 rounded-lg border border-line divide-y divide-line">
      {[...groups].sort(([, a], [, b]) => b.length - a.length).map(([reason, names]) => (
        <li key={reason} className="px-4 py-3">
          <div className="flex items-start gap-4">
            <p className="flex-1 text-ink">{reason}</p>
            <span className="shrink-0 text-ink-faint tabular">
              {say("rejectedFiles", { count: names.length })}
            </span>
          </div>
          <details className="mt-1">
            <summary className="cursor-pointer text-xs text-brand-700 w-max">{say("showFiles")}</summary>
            <ul className="mt-1 max-h-40 overflow-y-auto text-xs text-ink-soft" tabIndex={0}>
              {names.slice(0, SHOWN_NAMES).map((name) => <li key={name} className="truncate">{name}</li>)}
              {names.length > SHOWN_NAMES && <li>{say("andMore", { count: names.length - SHOWN_NAMES })}</li>}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
