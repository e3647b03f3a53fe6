import { useQuery } from "@tanstack/react-query";
import { queryKeys } from "@/model/query_keys.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import { type ListScope, scopeWords } from "@/model/worklist/list_scope.ts";
import { listLabels } from "@/client/api/worklist/labels.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";

interface ExportScopeProps {
  /** number of studies in the export */
  count: number;
  /** names of the checked studies, or search and criteria of the list */
  scope: readonly string[] | ListScope;
}

/** Description of the studies in an export. */
export function ExportScope({ count, scope }: ExportScopeProps) {
  return Array.isArray(scope)
    ? <CheckedScope count={count} studies={scope} />
    : <WorklistScope count={count} scope={scope as ListScope} />;
}

function CheckedScope({ count, studies }: { count: number; studies: readonly string[] }) {
  const text = useText(excelText);
  return (
    <>
      <p className="pt-1 font-medium text-ink">{text("checked", { n: count })}</p>
      {studies.map((study) => <p key={study} className="break-words">{study}</p>)}
    </>
  );
}

function WorklistScope({ count, scope }: { count: number; scope: ListScope }) {
  const language = useLanguage(), text = useText(excelText), filters = useText(filtersText);
  const { data } = useQuery({
    queryKey: queryKeys.labelList,
    queryFn: ({ signal }) => listLabels(browserApi, signal),
    enabled: (scope.criteria.label_id_list?.length ?? 0) > 0,
  });
  const labelName = (id: number) =>
    data?.labels.find((label) => label.id === id)?.label_name ??
      (data ? filters("labelGone") : "…");
  const words = scopeWords(scope, language, labelName);
  return (
    <>
      <p className="pt-1 font-medium text-ink">
        {text(words.length > 0 ? "filtered" : "unfiltered", { n: count })}
      </p>
      {words.length > 0 && <p className="break-words">{words.join(" · ")}</p>}
    </>
  );
}
