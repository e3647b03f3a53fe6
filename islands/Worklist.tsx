import type { ListView } from "@/model/schema/worklist/list_view.ts";
import type { WorklistQuery } from "@/model/worklist/worklist_query.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { WorklistPage } from "@/components/worklist/page/WorklistPage.tsx";

const UploadDialog = lazyPart(() => import("@/islands/UploadDialog.tsx"));
const DicomDialog = lazyPart(() => import("@/components/dicom_export/dicom_dialog.tsx"));

interface WorklistProps {
  /** worklist query from the page address */
  query: WorklistQuery;
  /** view settings of the user for the list */
  view: ListView;
}

/** The worklist and the dialogs that it shares with other pages. */
const Worklist = ({ query, view }: WorklistProps) => (
  <WorklistPage query={query} view={view} UploadDialog={UploadDialog} DicomDialog={DicomDialog} />
);

export default withQueries(Worklist);
