// DICOM export of a study; loaded on demand.
import { useEffect, useState } from "react";
import { AppError } from "@/model/errors.ts";
import type { DeidentifyQuery, DicomKind } from "@/model/schema/report/dicom.ts";
import type { ReportFilter } from "@/model/schema/report/report.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { getSentResults } from "@/client/api/connections/connections.ts";
import { checkDeidentified, deidentifiedPath, getDicom } from "@/client/api/report/dicom.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { saveFile } from "@/client/files/generated_file.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { saveResponse } from "@/client/files/save_file.ts";
import { DeidentifiedExport } from "@/components/dicom_export/DeidentifiedExport.tsx";
import { DicomResults } from "@/components/dicom_export/DicomResults.tsx";
import {
  type Correction,
  type SentBefore,
  sentBefore,
} from "@/components/dicom_export/sent_before.ts";
import { Dialog } from "@/components/dialog/Dialog.tsx";

interface DicomDialogProps {
  pid: number;
  /** name and number of the patient, for pages that do not show them */
  patient?: string;
  /** kinds of results that can be exported; empty: only images */
  kinds: readonly DicomKind[];
  /** no percentile map, because the scanner is not accepted for percentiles */
  isMapLeftOut?: boolean;
  /** corrections that users made to the results */
  corrections?: readonly Correction[];
  /** pages and language of the report */
  filter?: ReportFilter;
  onClose: () => void;
}

const NONE: readonly Correction[] = [], NOTHING: SentBefore = { following: [], left: [], gone: [] };

export default function DicomDialog(
  { pid, patient, kinds, isMapLeftOut = false, corrections = NONE, filter, onClose }:
    DicomDialogProps,
) {
  const text = useText(dicomText), common = useText(commonText), language = useLanguage();
  const [busy, setBusy] = useState<DicomKind | "results" | "images" | null>(null);
  const [done, setDone] = useState("");
  const [hasImages, setHasImages] = useState(true);
  // checked on opening: a study without images is reported before the user selects anything
  useEffect(() => {
    checkDeidentified(browserApi, pid, { dates: "removed" }).catch((error) =>
      setHasImages(!(error instanceof AppError && error.code === "entity.not_found"))
    );
  }, [pid]);
  const [before, setBefore] = useState(NOTHING);
  useEffect(() => {
    setBefore(NOTHING);
    if (corrections.length === 0) return;
    // errors are ignored: an older server may not know about sent results
    getSentResults(browserApi, pid).then(
      ({ results }) => setBefore(sentBefore(results, corrections)),
      () => {},
    );
  }, [pid, corrections]);
  const run = async (what: typeof busy, save: () => Promise<string>) => {
    setBusy(what);
    setDone("");
    try {
      setDone(await save());
    } catch (error) {
      presentError(error);
    } finally {
      setBusy(null);
    }
  };
  const saveResult = (what: DicomKind | "results") =>
    void run(what, async () => {
      const answer = await getDicom(browserApi, pid, what, filter);
      return text("saved", { file: await saveResponse(answer) });
    });
  const saveImages = (query: DeidentifyQuery) =>
    void run("images", async () => {
      await checkDeidentified(browserApi, pid, query);
      saveFile(deidentifiedPath(pid, query));
      return text("started");
    });
  const hasResults = kinds.length > 0;
  return (
    <Dialog
      title={text(hasResults ? "title" : "deidentifyTitle")}
      closeLabel={common("close")}
      width="w-[560px]"
      onClose={onClose}
    >
      {/* keys in here are not for the page behind */}
      <div onKeyDown={(event) => event.stopPropagation()}>
        {patient && <p className="mb-2 font-medium text-ink break-words">{patient}</p>}
        {hasResults && (
          <div className="pb-4 mb-4 border-b border-line">
            <DicomResults
              kinds={kinds}
              isMapLeftOut={isMapLeftOut}
              busy={busy === "images" ? null : busy}
              corrections={corrections}
              before={before}
              onSave={saveResult}
              language={language}
            />
          </div>
        )}
        {hasImages
          ? (
            <DeidentifiedExport
              isBusy={busy === "images"}
              onSave={saveImages}
              isTitled={hasResults}
              language={language}
            />
          )
          : <p role="alert" className="text-ink">{text("noImages")}</p>}
        <p role="status" className="mt-2 min-h-[20px] text-right text-ink">{done}</p>
      </div>
    </Dialog>
  );
}
