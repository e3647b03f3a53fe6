import { type Language, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/actions.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { Button } from "@/components/Button.tsx";

interface ListNoticeProps {
  language: Language;
  /** when the rows were true, ms; `null`: they are */
  staleSince: number | null;
  /** old rows of another list than the one asked for */
  isOther: boolean;
  /** studies that came in and are not shown */
  newCount: number;
  onShow: () => void;
  /** asks again by hand; absent while that goes by itself */
  onRetry: (() => void) | undefined;
}

/** That the rows are old, or that there are new ones; beside the range, so that no row moves. */
export function ListNotice({ language, staleSince, isOther, newCount, onShow, onRetry }: ListNoticeProps) {
  const time = staleSince === null ? "" : new Date(staleSince).toLocaleTimeString(language);
  return (
    <span role="status" className="flex items-center gap-3 font-medium">
      {staleSince !== null
        ? (
          <>
            <span className="text-amber-800">
              {textIn(isOther ? worklistText.staleOther : worklistText.stale, language, { time })}
            </span>
            {onRetry && <Button size="small" onClick={onRetry}>{textIn(commonText.retry, language)}</Button>}
          </>
        )
        : newCount > 0 && (
          <>
            <span className="text-brand-700">
              {newCount === 1
                ? textIn(worklistText.newStudy, language)
                : textIn(worklistText.newStudies, language, { n: newCount })}
            </span>
            <Button size="small" onClick={onShow}>{textIn(worklistText.showNew, language)}</Button>
          </>
        )}
    </span>
  );
}
