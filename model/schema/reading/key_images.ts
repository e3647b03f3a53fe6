import * as z from "zod/mini";
import { isoInstant } from "@/model/schema/studies/study.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Maximum number of key images of a study, bytes per image, and images shown in a report. */
export const MAX_KEY_IMAGES = 20, MAX_KEY_IMAGE_BYTES = 6 << 20, KEY_IMAGES_IN_REPORT = 6;

/** Query of `POST /patients/{pid}/key-images`; its body is a PNG. */
export const keyImageQuery = z.object({
  note: z._default(z.string().check(typedText, z.maxLength(80)), ""),
});

/** A key image: a view of the viewer that a user has saved. */
const keyImage = z.object({
  id: z.number(),
  url: z.string(),
  note: z.string(),
  created_at: isoInstant,
  created_by: z.string(),
  is_own: z.boolean(),
});
export type KeyImage = z.infer<typeof keyImage>;

export const keyImageList = z.object({ images: z.array(keyImage) });
export type KeyImageList = z.infer<typeof keyImageList>;

export const keyImageCreated = z.object({ id: z.number() });
