// Norms that were imported from a file, with a plot against the published norms.
import { useEffect, useState } from "react";
import { AppError } from "@/model/errors.ts";
import { MAX_TABLE_LENGTH } from "@/model/norms/imported/cells.ts";
import { exampleTable, largestDifference, plottedOf } from "@/model/norms/imported/plotted.ts";
import type { NormTable } from "@/model/norms/imported/table.ts";
import type { Sex } from "@/model/norms/norms.ts";
import type { LocalNormItem } from "@/model/schema/report/norms.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";
import { normTableText, tableProblemIn } from "@/model/text/settings/norm_tables.ts";
import { getNormTable, importNormTable } from "@/client/api/report/norms.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { saveFile } from "@/client/files/save_file.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { FileInput } from "@/components/FileInput.tsx";
import { INPUT, Section } from "@/components/fields.tsx";
import { NormTablePlot } from "@/components/settings/NormTablePlot.tsx";

interface ImportedNormsProps {
  norms: readonly LocalNormItem[];
  isBusy: boolean;
  /** runs an action and reloads the list of norms */
  onAct: (action: () => Promise<void>) => Promise<void>;
}

export function ImportedNorms({ norms, isBusy, onAct }: ImportedNormsProps) {
  const language = useLanguage(), text = useText(normTableText);
  const [message, setMessage] = useState("");
  const open = norms.filter(({ source, state }) => source === "table" && state !== "revoked");
  const read = (file: File) =>
    onAct(async () => {
      setMessage("");
      // checked before reading: a character has up to three bytes, so a larger file is certainly
      // refused
      if (file.size > 3 * MAX_TABLE_LENGTH) {
        return setMessage(text("tooLarge", { kb: MAX_TABLE_LENGTH / 1024 }));
      }
      const content = await file.text();
      if (content.length > MAX_TABLE_LENGTH) {
        return setMessage(text("tooLarge", { kb: MAX_TABLE_LENGTH / 1024 }));
      }
      try {
        await importNormTable(browserApi, content);
        setMessage(text("proposed"));
      } catch (error) {
        const problem = error instanceof AppError && error.code === "norm.table_invalid"
          ? tableProblemIn(error.details, language)
          : null;
        if (problem === null) throw error;
        setMessage(problem);
      }
    });
  const saveExample = () =>
    saveFile(new Blob([exampleTable()], { type: "text/csv" }), "norms_example.csv");
  return (
    <Section title={text("title")} hint={text("hint")}>
      <div className="flex flex-wrap items-center gap-2">
        <FileInput
          label={text("import")}
          accept=".csv,.json,text/csv,application/json"
          disabled={isBusy}
          onFile={(file) => void read(file)}
        />
        <Button size="small" onClick={saveExample}>{text("example")}</Button>
      </div>
      <p role="status" className="min-h-[20px] text-[13px] text-ink">{message}</p>
      {open.length > 0 && <TablePlot open={open} />}
    </Section>
  );
}

/** The chosen table of norms, with a plot of one measure over age. */
function TablePlot({ open }: { open: readonly LocalNormItem[] }) {
  const text = useText(normTableText);
  const [chosenId, setChosenId] = useState<number | null>(null);
  const [table, setTable] = useState<{ id: number; content: NormTable } | null>(null);
  const id = (open.find((norm) => norm.id === chosenId) ?? open[0]!).id;
  useEffect(() => {
    let isOver = false;
    getNormTable(browserApi, id).then(
      (content) => !isOver && setTable({ id, content }),
      (error) => !isOver && presentError(error),
    );
    return () => void (isOver = true);
  }, [id]);
  return (
    <div className="flex flex-col gap-2">
      <select
        aria-label={text("table")}
        value={id}
        onChange={(event) => setChosenId(Number(event.currentTarget.value))}
        className={INPUT}
      >
        {open.map((norm) => <option key={norm.id} value={norm.id}>{norm.title}</option>)}
      </select>
      {table?.id === id && <MeasurePlot key={id} table={table.content} />}
    </div>
  );
}

const SOFTWARE = { freesurfer: "FreeSurfer", sulcus: "Sulcus" } as const;

function MeasurePlot({ table }: { table: NormTable }) {
  const language = useLanguage(), text = useText(normTableText);
  const names = [...new Set(table.curves.map(({ measure, key }) => `${measure}:${key}`))];
  const [name, setName] = useState(names[0]!), [sex, setSex] = useState<Sex>("female");
  const [measure, key] = name.split(":") as ["volume" | "thickness", string];
  const { icvMl, ages } = plottedOf(table, measure, key, sex), largest = largestDifference(ages);
  const hasIcv = table.curves.some((each) =>
    each.measure === measure && each.key === key && each.icvsMl.length > 0
  );
  const wordsOf = (of: string) => {
    const [kind, part] = of.split(":") as ["volume" | "thickness", string];
    return measureText(kind, part, language);
  };
  return (
    <div className="flex flex-col gap-2 text-[13px]">
      <p>
        {text("about", {
          source: table.source,
          licence: table.licence,
          software: [SOFTWARE[table.software], table.engineVersion].filter(Boolean).join(" "),
        })}
      </p>
      <div className="flex gap-2">
        <select
          aria-label={text("measure")}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          className={`${INPUT} flex-1 min-w-0`}
        >
          {names.map((each) => <option key={each} value={each}>{wordsOf(each)}</option>)}
        </select>
        <select
          aria-label={text("sex")}
          value={sex}
          onChange={(event) => setSex(event.currentTarget.value === "male" ? "male" : "female")}
          className={INPUT}
        >
          <option value="female">{text("female")}</option>
          <option value="male">{text("male")}</option>
        </select>
      </div>
      {ages.length > 0 && (
        <NormTablePlot
          name={wordsOf(name)}
          unit={measure === "volume" ? "mL" : "mm"}
          ages={ages}
        />
      )}
      {largest && (
        <p>
          {hasIcv && `${text("atIcv", { icv: Math.round(icvMl) })} `}
          {text("largest", {
            percent: `${largest.percent < 0 ? "−" : "+"}${Math.abs(largest.percent).toFixed(1)}`,
            age: largest.age,
          })}
        </p>
      )}
    </div>
  );
}
