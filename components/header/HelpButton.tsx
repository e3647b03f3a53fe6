import { Suspense, useState } from "react";
import type { HelpSubject } from "@/model/text/help.ts";
import { helpOpenText } from "@/model/text/help_open.ts";
import { useText } from "@/client/page/language.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";

const HelpDialog = lazyPart(() => import("@/components/header/help_dialog.tsx"));
const ON_WHITE = "border-line-strong bg-white text-ink-soft hover:bg-brand-50";

/**
 * Button that opens the help of a page; `className` sets its colours on a header that is not white.
 */
export function HelpButton({ of, className = ON_WHITE }: {
  of: HelpSubject;
  className?: string;
}) {
  const text = useText(helpOpenText), [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        title={text("open")}
        aria-label={text("open")}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={`w-9 h-9 shrink-0 rounded-full border text-sm font-semibold ${className}`}
      >
        ?
      </button>
      {isOpen && (
        <Suspense>
          <HelpDialog of={of} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
