import { answerPicture } from "@/client/api/report/acceptance.ts";
import { type Api, call } from "@/client/api/http.ts";
import { imageAddress } from "@/model/acceptance/picture_address.ts";
import type { PictureAnswer } from "@/model/schema/report/acceptance.ts";

/** Loads a picture of an acceptance test, as the page does, and answers. */
export async function judgePicture(
  api: Api,
  { id, place }: { id: number; place: number },
  answer: PictureAnswer,
): Promise<void> {
  const image = await call(api, imageAddress({ test: id, place }));
  await image.body?.cancel();
  await answerPicture(api, { id, place }, answer);
}
