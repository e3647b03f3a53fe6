import { type ReactNode, useState } from "react";
import { CrashBoundary, crashDialogText } from "@/components/message/CrashBoundary.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";

interface CrashGuardProps {
  /** closes the guarded dialog; with it, the crash notice is shown as a dialog too */
  onClose?: () => void;
  children: ReactNode;
}

/** Error boundary for a part of the page. */
export function CrashGuard({ onClose, children }: CrashGuardProps) {
  const [isClosed, setClosed] = useState(false);
  const close = () => {
    // the dialog disappears even if the parent continues to render the crashed child
    setClosed(true);
    onClose?.();
  };
  const frame = (notice: ReactNode) =>
    onClose === undefined || isClosed
      ? notice
      : <Dialog {...crashDialogText()} onClose={close}>{notice}</Dialog>;
  return <CrashBoundary frame={frame}>{children}</CrashBoundary>;
}
