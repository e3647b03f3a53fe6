import type { AboutManual } from "@/model/schema/about.ts";

/** D1 §1. */
export const DEVICE_MODEL = "VN-M-06";

type Cert = AboutManual["cert_type"];

/** Revision of the label for each certificate (D1 §1: a code per region). */
const REVISIONS: Record<Cert, string> = {
  KR: "KR-01",
  TR: "TR-01",
  MD: "MD-01",
  CE: "CE-01",
  GB: "GB-01",
  CH: "CH-01",
  BR: "BR-01",
  FDA: "FDA-01",
  ID: "ID-01",
  DEMO: "DEMO-01",
};

export const labelRevision = (cert: Cert): string => REVISIONS[cert];

/** Name under which the manual is saved (D1 §7); the default when the product is not known. */
export function manualFileName(manual: AboutManual | null): string {
  if (!manual) return "User Manual.pdf";
  return `${manual.product} ${manual.version} User Manual (${manual.cert_type}).pdf`;
}

/** An address as it is shown: those of git over http as plain http (D1 §2); empty for what is no web address. */
export function shownLink(link: string): string {
  const plain = link.replace(/^git\+(?=https?:)/, "");
  return /^https?:\/\//.test(plain) ? plain : "";
}
