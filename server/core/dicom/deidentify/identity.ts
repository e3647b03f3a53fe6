// Names, numbers and dates in the place of a patient's. Nothing here reads a file.
import { createHmac } from "node:crypto";

/** How identity is taken away. */
export interface Deidentification {
  /**
   * secret of the site: the same identity always gets the same mask, and without the secret the
   * mask reveals nothing
   */
  key: Uint8Array;
  /** patient of the images; the same for all studies of a patient */
  patient: string;
  dates: "removed" | "shifted";
  /** the face was removed from the pixels before */
  isDefaced?: boolean;
}

const DAY_MS = 86_400_000, MAX_SHIFT_DAYS = 3650;

const digest = (key: Uint8Array, what: string) => createHmac("sha256", key).update(what).digest();

/** Name and number in place of the patient's. */
export function pseudonym({ key, patient }: Deidentification): string {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  return `ANON-${
    [...digest(key, `patient:${patient}`).subarray(0, 10)].map((b) => letters[b & 31]).join("")
  }`;
}

/** Days by which all dates of a patient are moved into the past: 1 to 3650. */
export const shiftDays = ({ key, patient }: Deidentification): number =>
  1 + digest(key, `shift:${patient}`).readUInt32BE(0) % MAX_SHIFT_DAYS;

/** A DA or DT value moved by days; empty when it is no whole date. */
export function shiftedDate(value: string, days: number): string {
  return value.split("\\").map((one) => {
    const [, y, m, d, rest] = /^(\d{4})(\d{2})(\d{2})(.*)$/.exec(one.trim()) ?? [];
    const at = Date.UTC(Number(y), Number(m) - 1, Number(d)) - days * DAY_MS;
    return Number.isNaN(at)
      ? ""
      : new Date(at).toISOString().slice(0, 10).replaceAll("-", "") + rest;
  }).join("\\");
}

const METHOD = "Basic Application Level Confidentiality Profile (PS3.15 2026c)";
const METHOD_SHIFTED = "Retain Longitudinal Temporal Information Modified Dates Option";
export const METHOD_DEFACED = "Clean Recognizable Visual Features Option";
/** An object's statement of how it lost its identity. */
export const METHODS = { removed: METHOD, shifted: `${METHOD}\\${METHOD_SHIFTED}` } as const;
