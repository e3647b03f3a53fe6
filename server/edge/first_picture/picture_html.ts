import type { DrawnPane } from "@/server/edge/first_picture/picture_view.ts";

/** HTML of a pane's picture and overlay: shown in full, and never stretched. */
export const pictureHtml = ({ png, marks, width, height }: DrawnPane): string =>
  `<img alt="" width="${width}" height="${height}" class="absolute inset-0 w-full h-full object-contain" ` +
  `src="data:image/png;base64,${png.toBase64()}"/>` +
  `<svg aria-hidden="true" viewBox="0 0 ${width} ${height}" class="absolute inset-0 w-full h-full">` +
  `${marks}</svg>`;
