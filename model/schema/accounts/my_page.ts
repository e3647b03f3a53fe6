import * as z from "zod/mini";
import { typedText } from "@/model/schema/typed_text.ts";

/** Limits of a logo file: bytes, and pixels per side. */
export const MAX_LOGO_BYTES = 1 << 20, MAX_LOGO_SIDE = 4096;
/** Maximum length of a user's and a hospital's name. */
export const MAX_NAME_LENGTH = 100;

/**
 * `GET /api/v1/settings/mypage`: the user's name, and the hospital's name and logo,
 * which all users of the organisation share.
 */
export const myPage = z.object({
  name: z.string(),
  hospital_name: z.string(),
  logo_url: z.nullable(z.string()),
});
export type MyPage = z.infer<typeof myPage>;

const name = z.string().check(typedText, z.trim(), z.minLength(1), z.maxLength(MAX_NAME_LENGTH));
/** Fields of `PUT /api/v1/settings/mypage` beside the file `logo`. */
export const myPagePut = z.object({
  name,
  hospital_name: name,
  /** whether the server must delete the logo */
  remove_logo: z.optional(z.literal("true")),
});
export type MyPagePut = z.infer<typeof myPagePut>;
