// Parts of the viewer with code that is loaded on demand.
// All parts share one file, because they use mostly the same code.
export { default as Compare } from "@/viewer/panels/compare/compare.tsx";
export { default as Lesions } from "@/viewer/panels/lesions.tsx";
export { default as Mosaic } from "@/viewer/panels/mosaic.tsx";
export { default as Reading } from "@/viewer/panels/reading/reading.tsx";
export { followIcvOutline } from "@/viewer/session/icv_outline.ts";
export { followMaskOutline } from "@/viewer/session/mask_outline.ts";
export { moveStored } from "@/viewer/session/reading/move_measurement.ts";
export { copyLink, copyPicture, savePicture } from "@/viewer/session/saved_picture.ts";
export { followStructureOutline } from "@/viewer/session/structure_outline.ts";
