import { type ComponentType, Suspense } from "react";
import type { ListView } from "@/model/schema/worklist/list_view.ts";
import type { FilterCriteria } from "@/model/worklist/filter_form.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { filteredBy } from "@/components/worklist/page/list_changes.ts";
import type { WorklistList } from "@/components/worklist/page/use_list.ts";

const FilterDialog = lazyPart(() => import("@/components/worklist/filters/FilterDialog.tsx"));
const ExportDialog = lazyPart(() => import("@/components/worklist/selection/ExportDialog.tsx"));
const ViewDialog = lazyPart(() => import("@/components/worklist/view/ViewDialog.tsx"));
const KeyList = lazyPart(() => import("@/components/worklist/page/KeyList.tsx"));

/** Which of the page's dialogs is open. */
export type PageDialog = "keys" | "layout" | "export" | "filter";

/** Props of the upload dialog, which continues uploading while hidden. */
export interface UploadDialogProps {
  isMinimised: boolean;
  /** files that the user dropped on the page; each drop is delivered once */
  dropped: Promise<ChosenFile[]> | null;
  onMinimise: () => void;
  onShow: () => void;
  onClose: () => void;
}

interface PageDialogsProps {
  opened: PageDialog | null;
  /** state of the upload dialog: not started, shown, or minimised to the tray */
  upload: "closed" | "open" | "minimised";
  onUpload: (upload: "closed" | "open" | "minimised") => void;
  /** files that the user dropped on the page, for the upload */
  dropped: Promise<ChosenFile[]> | null;
  onClose: () => void;
  list: WorklistList;
  criteria: FilterCriteria;
  view: ListView;
  onView: (change: Partial<ListView>) => void;
  UploadDialog: ComponentType<UploadDialogProps>;
}

/** Dialogs of the page, each loaded on demand. */
export function PageDialogs(props: PageDialogsProps) {
  const { opened, onClose, list, criteria, upload, onUpload, UploadDialog } = props;
  const { sort_key, sort_direction, search_string, state } = list.query;
  return (
    <Suspense>
      {opened === "keys" && <KeyList onClose={onClose} />}
      {opened === "layout" && (
        <ViewDialog view={props.view} onChange={props.onView} onClose={onClose} />
      )}
      {upload !== "closed" && (
        <UploadDialog
          isMinimised={upload === "minimised"}
          dropped={props.dropped}
          onMinimise={() => onUpload("minimised")}
          onShow={() => onUpload("open")}
          onClose={() => onUpload("closed")}
        />
      )}
      {opened === "export" && (
        <ExportDialog
          of={{
            filter: {
              sort_key,
              sort_direction,
              search_string,
              ...state ? { state } : {},
              ...criteria,
            },
          }}
          count={(list.data?.total ?? 0) - (list.data?.ordered ?? 0)}
          scope={{ search: search_string, state, criteria }}
          onClose={onClose}
        />
      )}
      {opened === "filter" && (
        <FilterDialog
          query={list.query}
          criteria={criteria}
          onApply={(next, saved) => list.go(filteredBy(next, saved), { done: onClose })}
          onHover={(next, saved) => list.prefetch(filteredBy(next, saved))}
          onClose={onClose}
        />
      )}
    </Suspense>
  );
}
