import { regionOf } from "@/model/regions/regions.ts";

/**
 * Spread of the volumes that our network for any contrast reads in a FLAIR series alone: root mean
 * square of ln(volume / truth) of both sides together, systematic error included, by part name. It
 * is the larger of that on three real patients and of that on three painted label maps, and beside
 * it, as squares add, .07: the patients' truth is this engine's T1w volume, which has that error
 * itself.
 *
 * Parts that are absent are not printed: caudate (.42) and inferior horn (.56) differ too much from
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

/**
 * Cited where these volumes are shown: the label maps that the network's training images were
 * painted from.
 */
export const ANY_CONTRAST_CITATION =
  "Billot B, Greve DN, Puonti O, et al. SynthSeg: Segmentation of brain MRI scans of any contrast and resolution without " +
  "retraining. Medical Image Analysis 2023;86:102789";

/** Whether a label is of a structure that is printed, and so painted. */
export const isReadOnFlair = (label: number): boolean =>
  ANY_CONTRAST_SPREAD[regionOf(label)?.part ?? ""] !== undefined;

/**
 * Standard deviations on each side of an interval of 80 %: Student's t of five degrees of freedom,
 * since the spread is an estimate from six heads.
 */
export const T80 = 1.476;
