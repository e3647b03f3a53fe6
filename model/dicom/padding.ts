import { withoutEnd } from "@/model/text_end.ts";

/** A DICOM value without the blanks and NULs that pad it at the end (PS3.5 §6.2). */
export const withoutPadding = (text: string): string => withoutEnd(text, " \0");
