import { type ReactNode, useState } from "react";
import { CrashBoundary, crashDialogText } from "@/components/message/CrashBoundary.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";

interface CrashGuardProps {
  /** closes the guarded dialog: its notice is shown in a dialog too */
  onClose?: () => void;
  children: ReactNode;
}

/** Keeps an error of a part of the page to itself. */
export function CrashGuard({ onClose, children }: CrashGuardProps) {
  const [isClosed, setClosed] = useState(false);
  const close = () => {
    // an owner that keeps a closed child keeps the notice as well
    setClosed(true);
    onClose?.();
  };
  const frame = (notice: ReactNode) =>
    onClose === undefined || isClosed
      ? notice
      : <Dialog {...crashDialogText()} onClose={close}>{notice}</Dialog>;
  return <CrashBoundary frame={frame}>{children}</CrashBoundary>;
}
