import * as z from "zod/mini";
import { isoInstant, seriesKind } from "@/model/schema/studies/study.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Number of points of each kind of measurement; `null`: an outline with any number of points. */
const PLACES = { ruler: 2, angle: 3, ellipse: 2, rectangle: 2, freehand: null } as const;
export const measurementKind = z.enum(["ruler", "angle", "ellipse", "rectangle", "freehand"]);
export type MeasurementKind = z.infer<typeof measurementKind>;

export const measuredPlane = z.enum(["axial", "coronal", "sagittal"]);

/** Maximum number of measurements per study, of outline points, and of characters in a note. */
export const MAX_MEASUREMENTS = 200, MAX_OUTLINE = 400, MAX_NOTE = 80;
/** Maximum distance of a coordinate from the origin, mm: larger than any scanner's bore. */
const MAX_MM = 1000;

const coordinate = z.number().check(z.gte(-MAX_MM), z.lte(MAX_MM));

/** Statistics of the pixels in a region, in the series' original units. */
export const pixelStatistics = z.object({
  mean: z.number(),
  /** sample standard deviation of the pixels (n − 1) */
  sd: z.number().check(z.gte(0)),
  low: z.number(),
  high: z.number(),
  pixels: z.int().check(z.gte(1)),
});
export type PixelStatistics = z.infer<typeof pixelStatistics>;

const note = z.string().check(typedText, z.maxLength(MAX_NOTE));

/** Geometry and values of a measurement: the fields that change when the measurement is moved. */
const placeFields = {
  /** points in RAS mm on one slice, three numbers each */
  points_mm: z.array(coordinate).check(z.minLength(6), z.maxLength(3 * MAX_OUTLINE)),
  /** statistics of a region; `null` without original pixel values */
  statistics: z.nullable(pixelStatistics),
};

/** A measurement as a user has made it. */
const measuredFields = {
  kind: measurementKind,
  /** series on which the measurement was made */
  series: seriesKind,
  plane: measuredPlane,
  ...placeFields,
};

/** Whether a measurement has the number of points that the kind of measurement requires. */
export function hasPlaces(
  { kind, points_mm }: { kind: MeasurementKind; points_mm: number[] },
): boolean {
  const places = PLACES[kind];
  return places === null
    ? points_mm.length >= 9 && points_mm.length % 3 === 0
    : points_mm.length === 3 * places;
}

/** Body of `POST /patients/{pid}/measurements`. */
export const measurementPost = z.object({ ...measuredFields, note: z._default(note, "") }).check(
  z.refine(hasPlaces, "wrong_places"),
);
export type MeasurementPost = z.input<typeof measurementPost>;

/** Body of `PUT /patients/{pid}/measurements/{id}`. */
export const measurementPut = z.object({
  note,
  is_in_report: z.boolean(),
  /** new geometry of a moved measurement */
  moved: z.optional(z.object(placeFields)),
});
export type MeasurementPut = z.infer<typeof measurementPut>;

/** A stored measurement. */
const measurement = z.object({
  id: z.number(),
  ...measuredFields,
  note: z.string(),
  is_in_report: z.boolean(),
  created_at: isoInstant,
  /** name of the user who measured; empty when the account was deleted */
  created_by: z.string(),
  /** whether the caller may delete the measurement */
  is_own: z.boolean(),
});
export type StudyMeasurement = z.infer<typeof measurement>;

export const measurementList = z.object({ measurements: z.array(measurement) });
export type MeasurementList = z.infer<typeof measurementList>;

export const measurementCreated = z.object({ id: z.number() });
