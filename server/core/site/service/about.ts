import { manualFileName, shownLink } from "@/model/dicom/device_label.ts";
import type {
  AboutLicense,
  AboutManual,
  AboutManualText,
  AboutTerms,
  LicenseItem,
} from "@/model/schema/site/about.ts";
import type { Language } from "@/model/text.ts";
import { pictureFile } from "@/model/site/manual.ts";
import { renderManual } from "@/report/pdf/manual_pdf.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { findLabelRevision } from "@/server/core/studies/service/label_revision.ts";
import { getLicense } from "@/server/core/site/service/license.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

const ROOT = new URL("../../../../", import.meta.url), DOCS = new URL("docs/", ROOT);
const PRODUCT = "Sulcus";

/** Names of the packages that are bundled into the scripts of the web pages. */
export const FRONT_END = [
  "@preact/signals-core",
  "@preact/signals-react",
  "@tanstack/query-core",
  "@tanstack/react-query",
  "dicom-parser",
  "react",
  "react-dom",
  "regl",
  "scheduler",
  "zod",
] as const;

export async function getManual({ db }: ServiceContext): Promise<AboutManual> {
  const { cert_type } = await getLicense(db),
    label_revision = await findLabelRevision(db, cert_type);
  return { product: PRODUCT, version: VERSION, cert_type, label_revision };
}

/** The user manual as Markdown. */
export const getManualText = async (language: Language): Promise<AboutManualText> => ({
  content: await Deno.readTextFile(new URL(`manual/${language}.md`, DOCS)),
});

/** The user manual as a PDF file, with a file name. */
export async function getManualFile(
  services: ServiceContext,
  language: Language,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; fileName: string }> {
  const manual = await getManual(services);
  const { content } = await getManualText(language);
  const bytes = await renderManual(content, {
    product: `${PRODUCT} ${manual.version}`,
    language,
    picture: (name) => Deno.readFile(new URL(pictureFile(name, language), ROOT)),
  });
  return { bytes, fileName: manualFileName(manual) };
}

export const getTerms = async (language: Language): Promise<AboutTerms> => ({
  content: await Deno.readTextFile(new URL(`terms/${language}.txt`, DOCS)),
});

/** An entry of docs/licences.json, which `deno task licences` generates from the lock files. */
interface LicenceRow {
  name: string;
  version: string;
  licence: string;
  link: string;
}

/** Open-source packages used by the server and by the web pages. */
export async function getOpenSource(): Promise<AboutLicense> {
  const lists: Record<"networks" | "packages" | "crates", LicenceRow[]> = JSON.parse(
    await Deno.readTextFile(new URL("licences.json", DOCS)),
  );
  const licenses = [...lists.networks, ...lists.packages, ...lists.crates].map((row) => ({
    name: `${row.name} ${row.version}`,
    link: shownLink(row.link),
    license_type: row.licence,
  }));
  const isFront = ({ name }: LicenseItem) =>
    FRONT_END.some((each) => name.slice(0, name.lastIndexOf(" ")) === each);
  return { licenses, front_end: licenses.filter(isFront) };
}
