import type { Language } from "@/model/text.ts";
import type { UploadProgress } from "@/model/worklist/upload_progress.ts";
import { ProgressBar } from "@/components/ProgressBar.tsx";
import { Button } from "@/components/Button.tsx";
import { sizeText, textFor, timeLeftText } from "@/components/worklist/upload/amounts.ts";

interface SendingViewProps {
  language: Language;
  progress: UploadProgress;
  onHurry: () => void;
}

/**
 * Progress, speed and remaining time of an upload.
 * At the end, a note that the server is processing.
 */
export function SendingView({ language, progress, onHurry }: SendingViewProps) {
  const say = textFor(language);
  const { sentBytes, totalBytes, bytesPerSecond, state } = progress;
  const isSent = totalBytes > 0 && sentBytes >= totalBytes;
  const percent = totalBytes > 0 ? Math.floor(sentBytes / totalBytes * 100) : 0;
  const time = isSent ? null : timeLeftText(totalBytes - sentBytes, bytesPerSecond, language);
  const title = say(state === "paused" ? "paused" : isSent ? "checking" : "sending");
  return (
    <div className="pb-4">
      <div className="mb-2 flex items-baseline justify-between">
        <p className="text-base font-medium text-ink" aria-live="polite">{title}</p>
        {!isSent && (
          <p className="text-base font-semibold text-brand-700 tabular">{`${percent}\u00a0%`}</p>
        )}
      </div>
      <ProgressBar label={title} percent={isSent && state === "running" ? null : percent} />
      <p className="mt-2 flex gap-5 text-[13px] tabular">
        <span>{sizeText(sentBytes)} / {sizeText(totalBytes)}</span>
        {!isSent && bytesPerSecond > 0 && (
          <span>{say("speed", { speed: (bytesPerSecond / 1e6).toFixed(1) })}</span>
        )}
        {time !== null && <span>{say("timeLeft", { time })}</span>}
      </p>
      <div aria-live="polite">
        {state === "offline" && (
          <p className="mt-2 flex items-center justify-between rounded-md bg-amber-50 px-3 py-1 text-amber-900">
            {say("offline")}
            <Button kind="quiet" size="small" onClick={onHurry}>{say("retryNow")}</Button>
          </p>
        )}
      </div>
    </div>
  );
}
