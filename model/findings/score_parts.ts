/**
 * Parts of the Atrophy Score with their labels; `null`: the whole cortex.
 * Fluid increases when tissue shrinks, so the sign of its z is inverted.
 */
export const SCORE_PARTS = [
  { name: "Hippocampus", labels: [19, 20], isFluid: false },
  { name: "Entorhinal", labels: [81, 82], isFluid: false },
  { name: "cortex", labels: null, isFluid: false },
  { name: "Inferior lateral ventricle", labels: [17, 18], isFluid: true },
] as const;
