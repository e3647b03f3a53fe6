// Search of an archive and retrieval of studies; loaded on demand.
import { type FormEvent, useEffect, useState } from "react";
import type {
  Archive,
  ArchivedStudy,
  ArchiveFound,
  ArchiveSearch,
} from "@/model/schema/connections/pacs.ts";
import { MAX_PULLS } from "@/model/schema/connections/pacs.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { isDay } from "@/model/time/day.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { pullStudies, searchArchive } from "@/client/api/connections/pacs.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useToday } from "@/client/page/time_zone.ts";
import { followPulls } from "@/client/tray/pulls.ts";
import { Button } from "@/components/Button.tsx";
import { DayBox } from "@/components/day/DayBox.tsx";
import { SeriesPreview } from "@/components/worklist/pacs/SeriesPreview.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { failureWords } from "@/client/tray/failure_words.ts";

const EMPTY: Required<ArchiveSearch> = {
  patient_id: "",
  patient_name: "",
  accession_number: "",
  study_uid: "",
  date_from: "",
  date_to: "",
};
const FIELDS = [
  ["patient_id", "patientId"],
  ["patient_name", "patientName"],
  ["accession_number", "accession"],
] as const;
const DAYS = [["date_from", "from"], ["date_to", "to"]] as const;
const BOX = "h-9 w-full rounded-md border border-line-strong bg-white px-2 text-sm text-ink";
const CELL = "px-2 py-1.5 text-left align-top";

interface PacsDialogProps {
  archives: readonly Archive[];
  /** initial search terms */
  initial?: ArchiveSearch;
  onClose: () => void;
}

export default function PacsDialog({ archives, initial, onClose }: PacsDialogProps) {
  const text = useText(pacsText), common = useText(commonText), language = useLanguage();
  const [id, setId] = useState(archives[0]!.id),
    [search, setSearch] = useState<Required<ArchiveSearch>>({ ...EMPTY, ...initial });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set()),
    [isTaking, setTaking] = useState(false);
  const [asked, setAsked] = useState(id),
    [data, setData] = useState<ArchiveFound>(),
    [isPending, setPending] = useState(false);
  const today = useToday(),
    areDays = DAYS.every(([field]) => search[field] === "" || isDay(search[field]));
  const canAsk = areDays && Object.values(search).some((value) => value.trim() !== "");
  // typed terms replace the study of a link
  const change = (field: keyof ArchiveSearch, value: string) =>
    setSearch({ ...search, study_uid: "", [field]: value });
  const begin = (event: FormEvent) => {
    event.preventDefault();
    if (canAsk && !isPending) void ask();
  };
  const ask = async () => {
    setPending(true);
    setData(undefined);
    setChosen(new Set());
    try {
      setAsked(id);
      setData(await searchArchive(browserApi, id, search));
    } catch (error) {
      presentError(error);
    } finally {
      setPending(false);
    }
  };
  useEffect(() => {
    if (initial && canAsk) void ask();
  }, []);
  const choose = (uid: string, isChosen: boolean) => {
    const nextChosen = new Set(chosen);
    if (isChosen && nextChosen.size < MAX_PULLS) nextChosen.add(uid);
    else nextChosen.delete(uid);
    setChosen(nextChosen);
  };
  const take = async () => {
    setTaking(true);
    try {
      const studies = (data?.studies ?? []).filter(({ study_uid }) => chosen.has(study_uid));
      const pulls = await pullStudies(browserApi, id, {
        studies: studies.map(({ study_uid, description, study_date, images }) => ({
          study_uid,
          description: description.slice(0, 64),
          study_date: study_date ?? "",
          images: images ?? 0,
        })),
      });
      followPulls(pulls.filter(({ study_uid }) => chosen.has(study_uid)).map((pull) => pull.id));
      onClose();
    } catch (error) {
      presentError(error);
      setTaking(false);
    }
  };
  return (
    <Dialog
      title={text("title")}
      closeLabel={common("close")}
      onClose={onClose}
      width="w-[920px]"
      footer={
        <>
          <Button onClick={onClose}>{common("close")}</Button>
          <Button
            kind="primary"
            disabled={chosen.size === 0 || isTaking}
            onClick={() => void take()}
          >
            {text("take", { n: chosen.size })}
          </Button>
        </>
      }
    >
      <form className="grid grid-cols-6 gap-2 items-end" onSubmit={begin}>
        {archives.length > 1 && (
          <label className="col-span-6 text-[13px] text-ink-soft">
            {text("system")}
            <select
              className={BOX}
              value={id}
              onChange={(event) => setId(Number(event.currentTarget.value))}
            >
              {archives.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
            </select>
          </label>
        )}
        {FIELDS.map(([field, label], at) => (
          <label key={field} className="text-[13px] text-ink-soft">
            {text(label)}
            <input
              maxLength={64}
              autoComplete="off"
              data-autofocus={at === 0 ? true : undefined}
              className={BOX}
              value={search[field]}
              onChange={(event) =>
                change(field, event.currentTarget.value)}
            />
          </label>
        ))}
        {DAYS.map(([field, label]) => (
          <div key={field} className="text-[13px] text-ink-soft">
            <span aria-hidden="true">{text(label)}</span>
            <DayBox
              value={search[field]}
              today={today}
              name={text(label)}
              language={language}
              isBad={search[field] !== "" && !isDay(search[field])}
              className={BOX}
              width="w-full"
              onChange={(value) => change(field, value)}
            />
          </div>
        ))}
        <Button type="submit" kind="primary" disabled={!canAsk || isPending}>
          {text("search")}
        </Button>
      </form>
      {search.study_uid !== "" && (
        <p className="mt-3 text-[13px] break-all text-ink-soft">
          {text("studyUid")} {search.study_uid}
        </p>
      )}
      <div className="mt-3 min-h-[220px] max-h-[50vh] overflow-auto" aria-live="polite">
        {isPending
          ? <p role="status">{text("searching")}</p>
          : data === undefined
          ? <p className="text-ink-soft">{text("needed")}</p>
          : data.failure
          ? <p role="alert" className="text-red-700">{failureWords(data.failure, language)}</p>
          : data.studies.length === 0
          ? <p>{text("none")}</p>
          : (
            <FoundStudies
              archive={asked}
              studies={data.studies}
              isCut={data.is_cut}
              chosen={chosen}
              onChoose={choose}
            />
          )}
      </div>
    </Dialog>
  );
}

interface FoundStudiesProps {
  /** archive in which they were found */
  archive: number;
  studies: readonly ArchivedStudy[];
  isCut: boolean;
  chosen: ReadonlySet<string>;
  onChoose: (uid: string, isChosen: boolean) => void;
}

function FoundStudies({ archive, studies, isCut, chosen, onChoose }: FoundStudiesProps) {
  const text = useText(pacsText), language = useLanguage();
  return (
    <>
      {isCut && <p className="mb-2 text-ink-soft">{text("cut")}</p>}
      <table className="w-full text-[13px]" aria-label={text("title")}>
        <thead>
          <tr className="border-b border-line text-ink-soft">
            <td className={CELL} />
            {(["patient", "birth", "date", "description", "modalities", "images"] as const).map((
              head,
            ) => <th key={head} scope="col" className={`${CELL} font-semibold`}>{text(head)}</th>)}
          </tr>
        </thead>
        <tbody>
          {studies.map((study) => {
            const { study_uid, study_date, pid } = study;
            return (
              <tr key={study_uid} className="border-b border-line last:border-b-0 text-ink">
                <td className={CELL}>
                  <input
                    type="checkbox"
                    className="w-4 h-4 accent-brand-600"
                    aria-label={text("choose", { date: study_date ?? "-" })}
                    checked={chosen.has(study_uid)}
                    onChange={(event) => onChoose(study_uid, event.currentTarget.checked)}
                  />
                </td>
                <td className={`${CELL} break-words`}>
                  {nameText(study.patient_name, language)}
                  <span className="block text-ink-soft">{study.patient_id}</span>
                </td>
                <td className={`${CELL} tabular`}>{study.birth_date ?? "-"}</td>
                <td className={`${CELL} tabular`}>{study_date ?? "-"}</td>
                <td className={`${CELL} break-words`}>
                  {study.description || "-"}
                  <SeriesPreview archive={archive} studyUid={study_uid} date={study_date} />
                  {pid !== null && (
                    <span className="block text-ink-soft">{text("here", { pid })}</span>
                  )}
                </td>
                <td className={CELL}>{study.modalities.join(", ") || "-"}</td>
                <td className={`${CELL} tabular`}>{study.images ?? "-"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
