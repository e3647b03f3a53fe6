import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from "react";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { useText } from "@/client/page/language.ts";
import { onPageKeys } from "@/client/page/page_keys.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useStableCalls } from "@/client/stable_calls.ts";
import type { DicomDialogProps } from "@/components/worklist/selection/SelectionBar.tsx";
import type { Selection } from "@/components/worklist/selection/use_selection.ts";

const SelectionBar = lazyPart(() => import("@/components/worklist/selection/SelectionBar.tsx"));

const STRIP =
  "list-strip flex items-center gap-2 h-12 px-4 xl:px-5 border-b border-line rounded-t-xl";

interface SelectionStripProps {
  selection: Selection;
  /** whether the list has rows, for which keyboard shortcuts exist */
  hasRows: boolean;
  /** active filter criteria, shown while no study is checked */
  tags: ReactNode;
  onKeys: () => void;
  DicomDialog: ComponentType<DicomDialogProps>;
}

/**
 * Area above the list, in which criteria and actions on checked studies appear.
 * The area has a constant height, so that no row moves.
 */
export function SelectionStrip(
  { selection, hasRows, tags, onKeys, DicomDialog }: SelectionStripProps,
) {
  const text = useText(worklistText), { checked } = selection;
  // the bar handles the key press as soon as its code is loaded
  const [isDeleteAsked, setDeleteAsked] = useState(false);
  const keys = useStableCalls({ askDelete: () => setDeleteAsked(checked.size > 0) });
  useEffect(() => onPageKeys({ Delete: keys.askDelete }), []);
  useEffect(() => {
    if (checked.size === 0) setDeleteAsked(false);
  }, [checked.size]);
  if (checked.size > 0) {
    return (
      <Suspense fallback={<div className={`${STRIP} bg-brand-50`} />}>
        <SelectionBar
          className={`${STRIP} bg-brand-50`}
          selection={selection}
          isDeleteAsked={isDeleteAsked}
          onDelete={() => setDeleteAsked(false)}
          DicomDialog={DicomDialog}
        />
      </Suspense>
    );
  }
  if (tags) {
    return (
      <div className={STRIP}>
        <Suspense>{tags}</Suspense>
      </div>
    );
  }
  return (
    <p className={`${STRIP} text-xs text-ink-faint`}>
      {hasRows && (
        <>
          {text("hint")}
          <button
            type="button"
            aria-keyshortcuts="?"
            onClick={onKeys}
            className="px-1 rounded font-medium text-brand-700 hover:underline"
          >
            {text("keys")} (?)
          </button>
        </>
      )}
    </p>
  );
}
