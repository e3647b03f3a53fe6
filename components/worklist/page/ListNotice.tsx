import { useSignals } from "@preact/signals-react/runtime";
import { commonText } from "@/model/text/worklist/actions.ts";
import { clockIn } from "@/model/time/site_time.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { useText } from "@/client/page/language.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { newStudies } from "@/client/live/worklist_cache.ts";
import { Button } from "@/components/Button.tsx";

interface ListNoticeProps {
  /** time when outdated rows were loaded, ms; `null` for current rows */
  staleSince: number | null;
  /** whether the rows belong to another list than the requested one */
  isOther: boolean;
  /** shows the studies that have just arrived */
  onShow: () => void;
  /** reloads the list; absent while it is reloaded automatically */
  onRetry: (() => void) | undefined;
}

/** Notice about outdated rows or new studies, next to the row range, so that no row moves. */
export function ListNotice({ staleSince, isOther, onShow, onRetry }: ListNoticeProps) {
  useSignals();
  const timeZone = useTimeZone(), text = useText(worklistText), common = useText(commonText);
  const newCount = newStudies.value.size;
  const time = staleSince === null ? "" : clockIn(timeZone, staleSince);
  return (
    <span role="status" className="flex items-center gap-3 font-medium">
      {staleSince !== null
        ? (
          <>
            <span className="text-amber-800">
              {text(isOther ? "staleOther" : "stale", { time })}
            </span>
            {onRetry && <Button size="small" onClick={onRetry}>{common("retry")}</Button>}
          </>
        )
        : newCount > 0 && (
          <>
            <span className="text-brand-700">
              {text("newStudies", { n: newCount })}
            </span>
            <Button size="small" onClick={onShow}>{text("showNew")}</Button>
          </>
        )}
    </span>
  );
}
