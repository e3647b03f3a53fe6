// Search of an archive and retrieval of studies; loaded on demand.
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
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
  /** search terms with which the dialog opens */
  initial?: ArchiveSearch;
  onClose: () => void;
}

/** Whether the search terms are valid: at least one is given, and the dates exist. */
function isSearchable(search: Required<ArchiveSearch>): boolean {
  return DAYS.every(([field]) => search[field] === "" || isDay(search[field])) &&
    Object.values(search).some((value) => value.trim() !== "");
}

/** Studies of an archive that match the search, with those checked for retrieval. */
function useArchiveSearch(archive: number, search: Required<ArchiveSearch>) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [answering, setAnswering] = useState(archive),
    [answer, setAnswer] = useState<ArchiveFound>(),
    [isPending, setPending] = useState(false);
  return {
    /** archive that returned the studies */
    answering,
    answer,
    isPending,
    chosen,
    async ask() {
      setPending(true);
      setAnswer(undefined);
      setChosen(new Set());
      try {
        setAnswering(archive);
        setAnswer(await searchArchive(browserApi, archive, search));
      } catch (error) {
        presentError(error);
      } finally {
        setPending(false);
      }
    },
    choose(uid: string, isChosen: boolean) {
      const nextChosen = new Set(chosen);
      if (isChosen && nextChosen.size < MAX_PULLS) nextChosen.add(uid);
      else nextChosen.delete(uid);
      setChosen(nextChosen);
    },
  };
}

/** Starts the retrieval of the checked studies; the tray shows its progress. */
async function retrieve(
  archive: number,
  studies: readonly ArchivedStudy[],
  chosen: ReadonlySet<string>,
): Promise<void> {
  const pulls = await pullStudies(browserApi, archive, {
    studies: studies.filter(({ study_uid }) => chosen.has(study_uid)).map(
      ({ study_uid, description, study_date, images }) => ({
        study_uid,
        description: description.slice(0, 64),
        study_date: study_date ?? "",
        images: images ?? 0,
      }),
    ),
  });
  followPulls(pulls.filter(({ study_uid }) => chosen.has(study_uid)).map((pull) => pull.id));
}

export default function PacsDialog({ archives, initial, onClose }: PacsDialogProps) {
  const text = useText(pacsText), common = useText(commonText);
  const [archive, setArchive] = useState(archives[0]!.id),
    [search, setSearch] = useState<Required<ArchiveSearch>>({ ...EMPTY, ...initial });
  const [isTaking, setTaking] = useState(false);
  const found = useArchiveSearch(archive, search), { chosen } = found;
  const canAsk = isSearchable(search);
  useEffect(() => {
    if (initial && canAsk) void found.ask();
  }, []);
  const take = async () => {
    setTaking(true);
    try {
      await retrieve(archive, found.answer?.studies ?? [], chosen);
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
      <SearchForm
        search={search}
        onChange={setSearch}
        canSubmit={canAsk && !found.isPending}
        onSubmit={() => void found.ask()}
      >
        {archives.length > 1 && (
          <ArchiveChoice archives={archives} archive={archive} onChange={setArchive} />
        )}
      </SearchForm>
      {search.study_uid !== "" && (
        <p className="mt-3 text-[13px] break-all text-ink-soft">
          {text("studyUid")} {search.study_uid}
        </p>
      )}
      <div className="mt-3 min-h-[220px] max-h-[50vh] overflow-auto" aria-live="polite">
        <SearchAnswer found={found} />
      </div>
    </Dialog>
  );
}

function ArchiveChoice(
  { archives, archive, onChange }: {
    archives: readonly Archive[];
    archive: number;
    onChange: (archive: number) => void;
  },
) {
  const text = useText(pacsText);
  return (
    <label className="col-span-6 grid gap-1 text-[13px] text-ink-soft">
      {text("system")}
      <select
        className={BOX}
        value={archive}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      >
        {archives.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
    </label>
  );
}

interface SearchFormProps {
  search: Required<ArchiveSearch>;
  onChange: (search: Required<ArchiveSearch>) => void;
  canSubmit: boolean;
  onSubmit: () => void;
  /** field that selects the archive */
  children: ReactNode;
}

function SearchForm({ search, onChange, canSubmit, onSubmit, children }: SearchFormProps) {
  const text = useText(pacsText), language = useLanguage(), today = useToday();
  // search terms that the user types replace the study of a launch link
  const change = (field: keyof ArchiveSearch, value: string) =>
    onChange({ ...search, study_uid: "", [field]: value });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canSubmit) onSubmit();
  };
  return (
    <form className="grid grid-cols-6 gap-2 items-end" onSubmit={submit}>
      {children}
      {FIELDS.map(([field, label], at) => (
        <label key={field} className="grid gap-1 text-[13px] text-ink-soft">
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
        <div key={field} className="grid gap-1 text-[13px] text-ink-soft">
          <span aria-hidden="true">{text(label)}</span>
          <DayBox
            value={search[field]}
            today={today}
            name={text(label)}
            language={language}
            isBad={search[field] !== "" && !isDay(search[field])}
            className={BOX}
            width="w-full"
            onChange={(value) =>
              change(field, value)}
          />
        </div>
      ))}
      <Button type="submit" kind="primary" disabled={!canSubmit}>
        {text("search")}
      </Button>
    </form>
  );
}

/** Table of the studies that match the search, or the reason why there are none. */
function SearchAnswer({ found }: { found: ReturnType<typeof useArchiveSearch> }) {
  const text = useText(pacsText), language = useLanguage();
  const { answer, isPending } = found;
  if (isPending) return <p role="status">{text("searching")}</p>;
  if (answer === undefined) return <p className="text-ink-soft">{text("needed")}</p>;
  if (answer.failure) {
    return <p role="alert" className="text-red-700">{failureWords(answer.failure, language)}</p>;
  }
  if (answer.studies.length === 0) return <p>{text("none")}</p>;
  return (
    <FoundStudies
      archive={found.answering}
      studies={answer.studies}
      isCut={answer.is_cut}
      chosen={found.chosen}
      onChoose={found.choose}
    />
  );
}

interface FoundStudiesProps {
  /** archive in which the studies were found */
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
