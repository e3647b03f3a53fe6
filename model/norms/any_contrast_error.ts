import { regionOf } from "@/model/regions/regions.ts";

/**
 * SD of volumes that the contrast-agnostic network measures in a FLAIR series alone, by part name:
 * root mean square of ln(volume / truth) of both sides, systematic error included.
 * The larger of two errors, on three patients and on three synthetic label maps, combined (root sum
 * of squares) with 0.07, the error of the patients' reference: this engine's T1w volume.
 *
 * Parts without a row are not printed: caudate (0.42) and inferior horn (0.56) differ too much from
 * the T1w volumes, and the third ventricle was not measured.
 *
 * @see docs/accuracy/flair_alone.md; `wasm/network/training/evaluate_any.py` measures it.
 */
export const ANY_CONTRAST_SPREAD: Readonly<Record<string, number>> = {
  "Lateral ventricle": 0.188,
  "Thalamus": 0.16,
  "Putamen": 0.113,
  "Pallidum": 0.099,
  "Hippocampus": 0.153,
  "Amygdala": 0.12,
  "Accumbens": 0.163,
  "Ventral diencephalon": 0.098,
};

/** Citation of SynthSeg: its label maps trained the network that measures FLAIR alone. */
export const ANY_CONTRAST_CITATION =
  "Billot B, Greve DN, Puonti O, et al. SynthSeg: Segmentation of brain MRI scans of any contrast and resolution without " +
  "retraining. Medical Image Analysis 2023;86:102789";

/** Whether the structure of a label is printed, and therefore drawn in the viewer. */
export const isReadOnFlair = (label: number): boolean =>
  ANY_CONTRAST_SPREAD[regionOf(label)?.part ?? ""] !== undefined;

/**
 * Standard deviations on each side of an 80 % interval: Student's t with five degrees of freedom,
 * because the SD is estimated from six heads.
 */
export const T80 = 1.476;
