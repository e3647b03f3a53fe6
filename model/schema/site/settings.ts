import * as z from "zod/mini";
import { seriesType } from "@/model/schema/studies/study.ts";
import { isBrainBranch, isBrainPart } from "@/model/regions/brain_parts.ts";
import { DICOM_ENCODINGS } from "@/model/dicom/dicom_charset.ts";
import { isOpinionId, MAX_OPINION_LENGTH, messageLength } from "@/model/report/opinions.ts";
import { canHavePages, isAscending } from "@/model/settings/settings_rules.ts";
import { LANGUAGES } from "@/model/text.ts";
import { typedText } from "@/model/schema/typed_text.ts";

const MAX_TAG_LENGTH = 300, MAX_INCLUDES_LENGTH = 1000;

const distinct = <T>(values: readonly T[]) => new Set(values).size === values.length;
const pageList = z.array(z.number()).check(z.refine(distinct));

/** All settings of a user, as read and written by the API. */
export const settings = z.object({
  individual: z.object({
    general: z.object({
      auto_analyze: z.boolean(),
      /** number of panes of the viewer */
      division: z.union([z.literal(3), z.literal(4)]),
      /** priority parts: listed first in the report and in the viewer */
      brain_part_list: z.array(z.string()),
      /** expanded branches of the tree of parts */
      expanded_part_list: z.array(z.string()),
    }),
    report: z.object({
      language: z.enum(LANGUAGES),
      anonymize: z.boolean(),
      /** thresholds of percentiles: 1 to 3 ascending numbers */
      threshold_list: z.array(z.number()),
      /** chosen pages of each report type, without the Main Page, which is always included */
      page_list: z.object({
        t1: z.array(z.number()),
        t2: z.array(z.number()),
        t1t2: z.array(z.number()),
      }),
    }),
    /** standard opinions with a text that the user has edited */
    report_result: z.array(z.object({ opinion_id: z.number(), message: z.string() })),
  }),
  group: z.object({
    general: z.object({
      bias_correction: z.boolean(),
      /** use a published network as second opinion on the labels of T1w analyses */
      second_opinion: z.boolean(),
      /** use our own network for the deep structures of T1w analyses */
      deep_structures: z.boolean(),
      dicom_encoding_id: z.number(),
      /** keywords or tags of DICOM attributes, comma-separated */
      t1w_tag: z.string(),
      t2w_tag: z.string(),
      /** words to search for, comma-separated */
      t1w_includes: z.string(),
      t2w_includes: z.string(),
    }),
  }),
  /** whether the licence counts credits; cannot be changed by settings */
  use_limit: z.optional(z.boolean()),
});
export type Settings = z.infer<typeof settings>;
export type IndividualSettings = Settings["individual"];
export type GroupSettings = Settings["group"]["general"];

const pagesFor = (type: "t1" | "t2" | "t1t2") =>
  pageList.check(z.refine((codes) => canHavePages(codes, type), "pages"));
const tag = z.string().check(typedText, z.maxLength(MAX_TAG_LENGTH));
const includes = z.string().check(typedText, z.maxLength(MAX_INCLUDES_LENGTH));

/** Settings as accepted by the API, validated by D1 §4 and §5. */
export const settingsPut = z.object({
  individual: z.object({
    general: z.object({
      auto_analyze: z.boolean(),
      division: z.union([z.literal(3), z.literal(4)]),
      brain_part_list: z.array(z.string().check(z.refine(isBrainPart))).check(z.refine(distinct)),
      expanded_part_list: z.array(z.string().check(z.refine(isBrainBranch))).check(
        z.refine(distinct),
      ),
    }),
    report: z.object({
      language: z.enum(LANGUAGES),
      anonymize: z.boolean(),
      threshold_list: z.array(z.int().check(z.gte(1), z.lte(100)))
        .check(z.minLength(1), z.maxLength(3), z.refine(isAscending)),
      page_list: z.object({ t1: pagesFor("t1"), t2: pagesFor("t2"), t1t2: pagesFor("t1t2") }),
    }),
    report_result: z.array(z.object({
      opinion_id: z.number().check(z.refine(isOpinionId)),
      message: z.string().check(
        typedText,
        z.refine((text) => messageLength(text) <= MAX_OPINION_LENGTH, "max_length"),
      ),
    })).check(z.refine((edits) => distinct(edits.map(({ opinion_id }) => opinion_id)))),
  }),
  group: z.object({
    general: z.object({
      bias_correction: z.boolean(),
      second_opinion: z.boolean(),
      deep_structures: z.boolean(),
      dicom_encoding_id: z.number().check(
        z.refine((id) => DICOM_ENCODINGS.some(({ encodingId }) => encodingId === id)),
      ),
      t1w_tag: tag,
      t2w_tag: tag,
      t1w_includes: includes,
      t2w_includes: includes,
    }),
  }),
});
export type SettingsPut = z.infer<typeof settingsPut>;

/** A node of the tree of brain parts. */
interface TreeNode {
  title: string;
  key: string;
  children?: TreeNode[] | undefined;
}
const treeNode: z.ZodMiniType<TreeNode, TreeNode> = z.object({
  title: z.string(),
  key: z.string(),
  get children() {
    return z.optional(z.array(treeNode));
  },
});

const opinionOfLanguage = z.object({ opinion_id: z.number(), message: z.string() });

/** Options from which a user can choose in the settings. */
export const settingsConfig = z.object({
  brain_category: z.array(treeNode),
  report_language_list: z.array(z.object({ language: z.string(), disp_name: z.string() })),
  report_page: z.array(z.object({
    code: z.number(),
    name: z.string(),
    /** report types for which the page can be chosen */
    types: z.array(seriesType),
    exclusive_with: z.optional(z.array(z.number())),
  })),
  /** name of an opinion, and its text by language code */
  opinion: z.array(z.catchall(z.object({ name: z.string() }), opinionOfLanguage)),
  dicom_encoding_list: z.array(z.object({ encoding_id: z.number(), disp_name: z.string() })),
  /** DICOM attributes that the setting "DICOM Classify" may use to tell T1w from FLAIR */
  classify_tag_list: z.optional(z.array(z.string())),
});
export type SettingsConfig = z.infer<typeof settingsConfig>;

/** Opinion suggested for a study, with the user's own text in the user's report language. */
export const assessment = z.object({
  pid: z.number(),
  report_type: seriesType,
  opinion_id: z.number(),
  message: z.string(),
});
export type Assessment = z.infer<typeof assessment>;
