import { normalForm } from "@/model/normal_form.ts";
import * as z from "zod/mini";
import { isCalendarDate, sex, sortDirection, sortKey } from "@/model/schema/studies/study.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Limits of the ages in a filter (D1 §9). */
export const MIN_FILTER_AGE = 1, MAX_FILTER_AGE = 199;
const MAX_NAME_LENGTH = 100;

/** A date `YYYY/MM/DD` that exists in the calendar. */
export const filterDate = z.string().check(
  z.regex(/^\d{4}\/\d{2}\/\d{2}$/),
  z.refine((text) => isCalendarDate(text.replaceAll("/", "-"))),
);

/** Normalised filter name, which must be unique among the filters of a user. */
export const filterNameKey = (name: string): string => normalForm(name.trim(), "NFC").toLowerCase();

/** Whether the upper age limit is above the lower one, or either is absent (D1 §5). */
const isAgeRange = (from: number | null | undefined, to: number | null | undefined): boolean =>
  from === null || from === undefined || to === null || to === undefined || from < to;

/** Whether the later date is not before the earlier one; equal dates are a range of one day. */
export const isDateRange = (
  from: string | null | undefined,
  to: string | null | undefined,
): boolean => !from || !to || from <= to;

const age = z.number().check(z.int(), z.gte(MIN_FILTER_AGE), z.lte(MAX_FILTER_AGE));

export const filterFields = {
  name: z.string().check(
    typedText,
    z.refine((name) => name.trim() !== ""),
    z.maxLength(MAX_NAME_LENGTH),
  ),
  page_idx: z.number().check(z.int(), z.gte(1)),
  page_size: z.number().check(z.int(), z.gte(1), z.lte(200)),
  sort_key: sortKey,
  sort_direction: sortDirection,
  search_string: z.string().check(typedText, z.maxLength(100)),
  /** series filter: T1w → true, null; T2w → null, true; all → null, null */
  t1w: z.nullable(z.boolean()),
  t2w: z.nullable(z.boolean()),
  sex: z.nullable(sex),
  age_from: z.nullable(age),
  age_to: z.nullable(age),
  birth_from: z.nullable(filterDate),
  birth_to: z.nullable(filterDate),
  study_from: z.nullable(filterDate),
  study_to: z.nullable(filterDate),
  analysis_from: z.nullable(filterDate),
  analysis_to: z.nullable(filterDate),
  label_id_list: z.array(z.number().check(z.int(), z.gte(1))).check(z.maxLength(1000)),
};

export const savedFilter = z.object({ id: z.number(), user_id: z.number(), ...filterFields });
export type SavedFilter = z.infer<typeof savedFilter>;

interface Ranges {
  age_from?: number | null | undefined;
  age_to?: number | null | undefined;
  birth_from?: string | null | undefined;
  birth_to?: string | null | undefined;
  study_from?: string | null | undefined;
  study_to?: string | null | undefined;
  analysis_from?: string | null | undefined;
  analysis_to?: string | null | undefined;
}

/** Validates ages and dates of an object by the limits of a filter. */
export const hasFilterRanges = [
  z.refine<Ranges>((f) => isAgeRange(f.age_from, f.age_to), { path: ["age_to"] }),
  z.refine<Ranges>((f) => isDateRange(f.birth_from, f.birth_to), { path: ["birth_to"] }),
  z.refine<Ranges>((f) => isDateRange(f.study_from, f.study_to), { path: ["study_to"] }),
  z.refine<Ranges>((f) => isDateRange(f.analysis_from, f.analysis_to), { path: ["analysis_to"] }),
] as const;

/** A filter as sent by a client; `id` (-1: new) and `user_id` are ignored. */
export const filterRequest = z.object({
  id: z.optional(z.number()),
  user_id: z.optional(z.number()),
  ...filterFields,
}).check(...hasFilterRanges);
export type FilterRequest = z.infer<typeof filterRequest>;

export const filtersResponse = z.object({ filters: z.array(savedFilter) });
export type FiltersResponse = z.infer<typeof filtersResponse>;
