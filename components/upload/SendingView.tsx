import { type Language, textIn } from "@/model/text.ts";
import { uploadDialogText } from "@/model/text/upload_dialog.ts";
import { ProgressBar } from "@/components/ProgressBar.tsx";

interface SendingViewProps {
  language: Language;
  progress: { sentBytes: number; totalBytes: number; bytesPerSecond: number };
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/** How much has been sent, how fast, and how long it takes; then that the server is at work. */
export function SendingView({ language, progress }: SendingViewProps) {
  const say = (key: keyof typeof uploadDialogText, values: Record<string, string | number> = {}) =>
    textIn(uploadDialogText[key], language, values);
  const { sentBytes, totalBytes, bytesPerSecond } = progress;
  const isSent = totalBytes > 0 && sentBytes >= totalBytes;
  const percent = totalBytes > 0 ? Math.floor(sentBytes / totalBytes * 100) : 0;
  const secondsLeft = bytesPerSecond > 0 ? Math.ceil((totalBytes - sentBytes) / bytesPerSecond) : null;
  const time = secondsLeft === null
    ? null
    : secondsLeft < 90
    ? say("seconds", { n: secondsLeft })
    : say("minutes", { n: Math.ceil(secondsLeft / 60) });
  return (
    <div className="py-6">
      <div className="mb-2 flex items-baseline justify-between">
        <p className="text-base font-medium text-ink">{isSent ? say("checking") : say("sending")}</p>
        {!isSent && <p className="text-base font-semibold text-brand-700 tabular">{percent}%</p>}
      </div>
      <ProgressBar label={isSent ? say("checking") : say("sending")} percent={isSent ? null : percent} />
      <p className="mt-2 flex gap-5 text-[13px] tabular">
        <span>{megabytes(sentBytes)} / {megabytes(totalBytes)} MB</span>
        {!isSent && bytesPerSecond > 0 && <span>{say("speed", { speed: megabytes(bytesPerSecond) })}</span>}
        {!isSent && time !== null && <span>{say("timeLeft", { time })}</span>}
      </p>
    </div>
  );
}
