import { Suspense, useState } from "react";
import { createPortal } from "react-dom";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";

const SentDialog = lazyPart(() => import("@/components/worklist/table/SentDialog.tsx"));

/**
 * Delivery state of a study's results in one word; a click shows the state by system.
 * Empty without deliveries.
 */
export function SentMark({ row, language }: { row: PatientRow; language: Language }) {
  const [isOpen, setOpen] = useState(false);
  if (!row.sent) return null;
  const state = textIn(worklistText[`sent_${row.sent}`], language);
  const title = textIn(worklistText.sentOf, language, { state });
  return (
    // clicks must not reach the row, because a click selects or opens the row
    <span
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={title}
        title={title}
        onClick={() => setOpen(true)}
        className={`block text-[11px] leading-tight underline decoration-dotted hover:text-brand-700 ${
          row.sent === "failed" ? "text-red-700" : "text-ink-soft"
        }`}
      >
        {state}
      </button>
      {isOpen && createPortal(
        <Suspense>
          <SentDialog row={row} onClose={() => setOpen(false)} />
        </Suspense>,
        // inside a separate table, so that the list's styles do not apply
        document.body,
      )}
    </span>
  );
}
