import { useEffect, useMemo, useState } from "react";
import { type ClassifyRules, DEFAULT_RULES } from "@/model/dicom/classify.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";
import { isForeseenUnused } from "@/model/worklist/upload_verdict.ts";
import { browserApi } from "@/client/browser_api.ts";

/** Classification rules of the site; default rules while the site's rules are not loaded. */
function useSiteRules(): ClassifyRules {
  const [rules, setRules] = useState(DEFAULT_RULES);
  useEffect(() => {
    const read = async () => {
      const { findSettings } = await import("@/client/api/site/settings.ts");
      const siteSettings = await findSettings(browserApi);
      if (siteSettings === null || siteSettings === "unknown") return;
      const { t1w_tag, t2w_tag, t1w_includes, t2w_includes } = siteSettings.group.general;
      setRules({
        t1wTag: t1w_tag,
        t2wTag: t2w_tag,
        t1wIncludes: t1w_includes,
        t2wIncludes: t2w_includes,
      });
    };
    // ignored here: the upload reports the ended session
    void read().catch(() => {});
  }, []);
  return rules;
}

/**
 * Which studies of a selection are uploaded: all usable studies, unless the user decides otherwise.
 */
export function useIncluded(studies: readonly FoundStudy[], seriesType: SeriesType) {
  const site = useSiteRules();
  const [decided, setDecided] = useState<ReadonlyMap<string, boolean>>(new Map());
  const rules = useMemo(() => ({ ...site, seriesType }), [site, seriesType]);
  const unusable = useMemo(
    () =>
      new Set(
        studies.filter((study) => isForeseenUnused(study, rules)).map(({ studyUid }) => studyUid),
      ),
    [studies, rules],
  );
  const excluded = new Set(
    studies.map(({ studyUid }) => studyUid).filter((uid) =>
      !(decided.get(uid) ?? !unusable.has(uid))
    ),
  );
  return {
    rules,
    excluded,
    /** number of studies excluded because they are unusable */
    unused: [...excluded].filter((uid) => unusable.has(uid)).length,
    exclude(next: ReadonlySet<string>): void {
      const changed = studies.map(({ studyUid }) => studyUid).filter((uid) =>
        next.has(uid) !== excluded.has(uid)
      );
      setDecided(new Map([...decided, ...changed.map((uid) => [uid, !next.has(uid)] as const)]));
    },
    forget: () => setDecided(new Map()),
  };
}
