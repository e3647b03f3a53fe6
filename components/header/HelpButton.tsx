import { Suspense, useState } from "react";
import type { HelpSubject } from "@/model/text/help.ts";
import { helpOpenText } from "@/model/text/help_open.ts";
import { useText } from "@/client/page/language.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";

const HelpDialog = lazyPart(() => import("@/components/header/help_dialog.tsx"));
const ON_WHITE = "border-line-strong bg-white text-ink-soft hover:bg-brand-50";

/** Opens the help of a page; `className` sets the button's colours on a non-white header. */
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
