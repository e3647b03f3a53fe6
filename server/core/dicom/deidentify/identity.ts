// Pseudonymous names, numbers and dates. No file access.
import { createHmac } from "node:crypto";

/** Options with which a patient's images are de-identified. */
export interface Deidentification {
  /**
   * secret key of the site, with which a patient always gets the same pseudonym;
   * without the key a pseudonym cannot be traced to the patient
   */
  key: Uint8Array;
  /** patient ID of the images; equal for all studies of a patient */
  patient: string;
  dates: "removed" | "shifted";
  /** whether the face has been removed from the pixels */
  isDefaced?: boolean;
}

const DAY_MS = 86_400_000, MAX_SHIFT_DAYS = 3650;

const digest = (key: Uint8Array, what: string) => createHmac("sha256", key).update(what).digest();

/** Pseudonymous patient name and patient ID. */
export function pseudonym({ key, patient }: Deidentification): string {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  return `ANON-${
    [...digest(key, `patient:${patient}`).subarray(0, 10)].map((b) => letters[b & 31]).join("")
  }`;
}

/** Days by which all dates of a patient are moved into the past: 1 to 3650. */
export const shiftDays = ({ key, patient }: Deidentification): number =>
  1 + digest(key, `shift:${patient}`).readUInt32BE(0) % MAX_SHIFT_DAYS;

/** A date or date-time value (VR DA or DT) shifted by days; empty for an incomplete date. */
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
/** Attributes that state how an object was de-identified. */
export const METHODS = { removed: METHOD, shifted: `${METHOD}\\${METHOD_SHIFTED}` } as const;
