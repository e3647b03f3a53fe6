import { type MyPage, myPage } from "@/model/schema/accounts/my_page.ts";
import { type Api, callJson } from "@/client/api/http.ts";

export const getMyPage = (api: Api, signal?: AbortSignal): Promise<MyPage> =>
  callJson(api, myPage, "/api/v1/settings/mypage", { signal });

/** Changes of the user's account: without `logo` the stored logo stays; `null` removes it. */
interface MyPageChange {
  name: string;
  hospital_name: string;
  logo?: Blob | null;
}

/** @throws {AppError} `logo.format`, `logo.too_large`, `input.invalid` with `details.field`. */
export function saveMyPage(api: Api, { name, hospital_name, logo }: MyPageChange): Promise<MyPage> {
  const body = new FormData();
  body.set("name", name);
  body.set("hospital_name", hospital_name);
  if (logo) body.set("logo", logo, "logo");
  else if (logo === null) body.set("remove_logo", "true");
  return callJson(api, myPage, "/api/v1/settings/mypage", { method: "PUT", body });
}
