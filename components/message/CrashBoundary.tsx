import { pageLanguage } from "@/client/page/language.ts";
import { Component, type ReactNode } from "react";
import { crashText } from "@/model/text/crash.ts";
import { textIn } from "@/model/text.ts";
import { Button } from "@/components/Button.tsx";

interface CrashBoundaryProps {
  /** wraps the notice, for example into a dialog that can be closed */
  frame?: (notice: ReactNode) => ReactNode;
  children: ReactNode;
}

/**
 * Error boundary that shows a notice with "Try again", which mounts the children again.
 * The surrounding root reports the error (`client/page/crash_report.ts`).
 */
export class CrashBoundary extends Component<CrashBoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render(): ReactNode {
    const { children, frame = (notice) => notice } = this.props;
    return this.state.isBroken
      ? frame(<CrashNotice onRetry={() => this.setState({ isBroken: false })} />)
      : children;
  }
}

/** Title and close button label of a dialog that crashed. */
export const crashDialogText = () => ({
  title: textIn(crashText.title, pageLanguage()),
  closeLabel: textIn(crashText.close, pageLanguage()),
});

/**
 * Notice of a crash, drawn above neighbouring elements, because a toolbar may be smaller than it.
 */
function CrashNotice({ onRetry }: { onRetry: () => void }) {
  const language = pageLanguage();
  return (
    <div
      role="alert"
      data-crash
      className="relative z-30 m-2 p-4 rounded-md border border-line bg-white text-center text-sm text-ink-soft"
    >
      <p className="font-medium text-ink">{textIn(crashText.title, language)}</p>
      <p className="mt-1 mb-3">{textIn(crashText.advice, language)}</p>
      <Button size="small" onClick={onRetry}>{textIn(crashText.retry, language)}</Button>
    </div>
  );
}
