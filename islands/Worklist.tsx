import type { WorklistQuery } from "@/model/worklist/worklist_query.ts";
import { lazyPart } from "@/client/page/stale_page.ts";
import { withQueries } from "@/client/page/with_queries.tsx";
import { WorklistPage } from "@/worklist/page/WorklistPage.tsx";

const UploadDialog = lazyPart(() => import("@/islands/UploadDialog.tsx"));
const DicomDialog = lazyPart(() => import("@/results/dicom_dialog.tsx"));

/** The worklist, with the dialogs that it shares with other pages. `query` is what the address said. */
const Worklist = ({ query }: { query: WorklistQuery }) => (
  <WorklistPage query={query} UploadDialog={UploadDialog} DicomDialog={DicomDialog} />
);

export default withQueries(Worklist);
