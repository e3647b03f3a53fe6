import type { DataSet, Element } from "dicom-parser";
import { AppError } from "@/model/errors.ts";
import {
  type Deidentification,
  METHOD_DEFACED,
  METHODS,
  pseudonym,
  shiftDays,
  shiftedDate,
} from "@/server/core/dicom/deidentify/identity.ts";
import { PROFILE_RULES, type ProfileAction } from "@/server/core/dicom/deidentify/basic_profile.ts";
import { ByteWriter, fileHead } from "@/server/core/dicom/write/dataset_writer.ts";
import {
  type Encoding,
  tagNumber,
  textBytes,
  type TreeElement,
  treeElement,
  writeTree,
} from "@/server/core/dicom/deidentify/element_tree.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import { maskedUid } from "@/server/core/dicom/write/uid.ts";

const IMPLICIT_LE = "1.2.840.10008.1.2", EXPLICIT_BE = "1.2.840.10008.1.2.2";
/** Root of the UIDs that the DICOM standard assigns, which never identify a patient's object. */
const STANDARD_UID = "1.2.840.10008.";
/**
 * VRs of names, dates, free text and unknown elements: removed if the profile does not list them.
 */
const IDENTIFYING_VR = new Set(["PN", "DA", "DT", "TM", "LT", "ST", "UT", "AE", "UN"]);
const DUMMIES: Readonly<Record<string, string>> = {
  DA: "19000101",
  TM: "000000",
  DT: "19000101000000",
  IS: "0",
  DS: "0",
  LO: "REMOVED",
  SH: "REMOVED",
  CS: "REMOVED",
  UC: "REMOVED",
  ST: "REMOVED",
  LT: "REMOVED",
  UT: "REMOVED",
  PN: "REMOVED",
};
const PATIENT_GROUP = 0x0010, META_GROUP = 0x0002;

const textElement = (tag: number, vr: string, text: string): TreeElement => ({
  tag,
  vr,
  value: { bytes: textBytes(text, vr) },
});

/** Applies the de-identification profile to the elements of one file. */
class Profile {
  constructor(
    readonly options: Deidentification,
    readonly encoding: Encoding,
    readonly isEnhanced: boolean,
  ) {}

  item(dataSet: DataSet): TreeElement[] {
    return Object.values(dataSet.elements).flatMap((element) => {
      const cleaned = this.element(dataSet, element);
      return cleaned ? [cleaned] : [];
    });
  }

  element(dataSet: DataSet, element: Element): TreeElement | null {
    const tag = tagNumber(element.tag),
      group = tag >>> 16,
      isCurve = group >= 0x5000 && group <= 0x50ff;
    // file meta information and group lengths are written later;
    // private attributes, curves and overlays are removed, because they may identify the patient
    const isOverlay = group >= 0x6000 && group <= 0x60ff;
    if (group <= META_GROUP || (tag & 0xffff) === 0 || group % 2 === 1 || isCurve || isOverlay) {
      return null;
    }
    const rule = PROFILE_RULES.get(element.tag), vr = rule?.vr ?? element.vr;
    if (rule?.action === "U" || (vr === "UI" && rule?.action !== "X")) {
      return this.#uid(dataSet, element);
    }
    if (
      this.options.dates === "shifted" && (vr === "DA" || vr === "DT") && group !== PATIENT_GROUP
    ) {
      return this.#text(
        element,
        vr,
        shiftedDate(dataSet.string(element.tag) ?? "", shiftDays(this.options)),
      );
    }
    // a time of day is kept, because it identifies no patient without the date
    if (this.options.dates === "shifted" && vr === "TM" && group !== PATIENT_GROUP) {
      return this.#kept(dataSet, element);
    }
    if (!rule) return IDENTIFYING_VR.has(element.vr ?? "") ? null : this.#kept(dataSet, element);
    return this.#byAction(dataSet, element, rule.action, vr);
  }

  #byAction(
    dataSet: DataSet,
    element: Element,
    action: ProfileAction,
    vr: string | undefined,
  ): TreeElement | null {
    switch (action) {
      case "X":
        return null;
      case "X/Z/U*":
        // references to other images are kept, with replaced UIDs
        return this.#kept(dataSet, element);
      case "Z":
      case "X/Z":
        return element.items
          ? { tag: tagNumber(element.tag), vr: "SQ", value: { items: [] } }
          : this.#text(element, element.vr, "");
      default:
        return this.#dummy(element, action, vr);
    }
  }

  /** Replaces an attribute that some objects require (type 1) by a dummy value; `null`: removed. */
  #dummy(element: Element, action: ProfileAction, vr: string | undefined): TreeElement | null {
    const dummy = DUMMIES[vr ?? ""];
    // never for classic (single-frame) images, which require none of these attributes
    const isNeeded = action === "D" || this.isEnhanced;
    if (dummy === undefined) return null;
    if (isNeeded) return this.#text(element, vr, dummy);
    return action === "X/D" ? null : this.#text(element, vr, "");
  }

  #kept(dataSet: DataSet, element: Element): TreeElement {
    return treeElement(dataSet, element, this.encoding, (item) => this.item(item));
  }

  #text(element: Element, vr: string | undefined, text: string): TreeElement {
    return textElement(tagNumber(element.tag), vr ?? "UN", text);
  }

  #uid(dataSet: DataSet, element: Element): TreeElement {
    const uids = (dataSet.string(element.tag) ?? "").split("\\").map((uid) => uid.trim());
    const masked = uids.map((uid) =>
      uid === "" || uid.startsWith(STANDARD_UID) ? uid : maskedUid(this.options.key, uid)
    );
    return this.#text(element, "UI", masked.join("\\"));
  }
}

/** De-identification methods as codes of PS3.16 CID 7050. */
function methodCodes({ dates, isDefaced }: Deidentification): [string, string][] {
  const profile: [string, string] = ["113100", "Basic Application Confidentiality Profile"];
  const shifted: [string, string] = [
    "113107",
    "Retain Longitudinal Temporal Information Modified Dates Option",
  ];
  const defaced: [string, string] = ["113102", METHOD_DEFACED];
  return [profile, ...dates === "shifted" ? [shifted] : [], ...isDefaced ? [defaced] : []];
}

/**
 * Attributes that are added: the pseudonymous patient identity, and the de-identification methods.
 */
function added(options: Deidentification): TreeElement[] {
  const name = pseudonym(options), isShifted = options.dates === "shifted";
  return [
    textElement(0x00100010, "PN", name),
    textElement(0x00100020, "LO", name),
    textElement(0x00120062, "CS", "YES"),
    textElement(
      0x00120063,
      "LO",
      METHODS[options.dates] + (options.isDefaced ? `\\${METHOD_DEFACED}` : ""),
    ),
    {
      tag: 0x00120064,
      vr: "SQ",
      value: {
        items: methodCodes(options).map(([value, meaning]) => [
          textElement(0x00080100, "SH", value),
          textElement(0x00080102, "SH", "DCM"),
          textElement(0x00080104, "LO", meaning),
        ]),
      },
    },
    // whether the patient's face is still recognisable in the pixels
    textElement(0x00280302, "CS", options.isDefaced ? "NO" : "YES"),
    textElement(0x00280303, "CS", isShifted ? "MODIFIED" : "REMOVED"),
  ];
}

/**
 * De-identifies an image by the PS3.15 Basic Application Level Confidentiality Profile, and
 * also removes names, dates, free text and unknown elements that the profile does not list.
 * Remaining values are copied byte for byte. Pixels are not changed, so the face remains.
 *
 * @param bytes A complete stored file.
 * @returns `null` for a file that states that the patient's identity is burned into the pixels.
 * @throws {AppError} `engine.unsupported_input` for a damaged file.
 */
export function deidentifyFile(
  bytes: Uint8Array,
  options: Deidentification,
): Uint8Array<ArrayBuffer> | null {
  const { dataSet, transferSyntax: syntax } = parseStored(bytes, true);
  if (dataSet.string("x00280301")?.trim().toUpperCase() === "YES") return null;
  const encoding = { isExplicit: syntax !== IMPLICIT_LE, isLittleEndian: syntax !== EXPLICIT_BE };
  const extra = added(options), replaced = new Set(extra.map(({ tag }) => tag));
  const profile = new Profile(options, encoding, dataSet.elements.x52009229 !== undefined);
  const cleaned = profile.item(dataSet).filter(({ tag }) => !replaced.has(tag));
  const sopClass = dataSet.string("x00080016")?.trim() ?? "",
    sop = dataSet.string("x00080018")?.trim() ?? "";
  if (sopClass === "" || sop === "") {
    throw new AppError(
      "engine.unsupported_input",
      "Cannot export the image: it has no identifier",
      {
        reason: "dicom",
      },
    );
  }
  const out = new ByteWriter(encoding.isLittleEndian);
  out.raw(fileHead(sopClass, maskedUid(options.key, sop), syntax));
  writeTree(out, encoding, [...cleaned, ...extra]);
  return out.done();
}
