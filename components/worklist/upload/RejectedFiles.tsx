import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { type Language, textIn } from "@/model/text.ts";
import { isUploadReason, refusalIn, seriesTitleIn } from "@/model/text/worklist/upload.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";

const SHOWN_NAMES = 100;

/** Reason and remedy for a file. `otherwise` is the text of the error code. */
const reasonOf = (
  { reason, details, patients }: UploadFailure,
  language: Language,
  otherwise: string,
): string =>
  isUploadReason(reason) ? refusalIn(language, { reason, details, patients }) : otherwise;

interface RejectedFilesProps {
  failures: readonly UploadFailure[];
  language: Language;
  /** returns the text of an error code */
  messageOf: (code: string) => string;
}

/** Files with the same problem, of one series or of an unknown series. */
interface Refusal {
  title: string | null;
  reason: string;
  names: string[];
}

/** Refused files, grouped by series and reason. */
export function RejectedFiles({ failures, language, messageOf }: RejectedFilesProps) {
  const groups = new Map<string, Refusal>();
  for (const failure of failures) {
    const reason = reasonOf(failure, language, messageOf(failure.code));
    const title = failure.series ? seriesTitleIn(language, failure.series) : null;
    const key = `${title}|${reason}`, refusal = groups.get(key) ?? { title, reason, names: [] };
    refusal.names.push(failure.file_name);
    groups.set(key, refusal);
  }
  const say = (key: keyof typeof uploadDialogText, values: Record<string, number> = {}) =>
    textIn(uploadDialogText[key], language, values);
  return (
    <ul className="mt-4 rounded-lg border border-line divide-y divide-line">
      {[...groups].sort(([, a], [, b]) => b.names.length - a.names.length).map((
        [key, { title, reason, names }],
      ) => (
        <li key={key} className="px-4 py-3">
          <div className="flex items-start gap-4">
            <div className="flex-1">
              {title && <p className="font-medium text-ink">{title}</p>}
              <p className="text-ink">{reason}</p>
            </div>
            <span className="shrink-0 text-ink-faint tabular">
              {say("rejectedFiles", { count: names.length })}
            </span>
          </div>
          <details className="mt-1">
            <summary className="cursor-pointer text-xs text-brand-700 w-max">
              {say("showFiles")}
            </summary>
            <ul className="mt-1 max-h-40 overflow-y-auto text-xs text-ink-soft" tabIndex={0}>
              {names.slice(0, SHOWN_NAMES).map((name) => (
                <li key={name} className="truncate">{name}</li>
              ))}
              {names.length > SHOWN_NAMES && (
                <li>{say("andMore", { count: names.length - SHOWN_NAMES })}</li>
              )}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
