import { readBody } from "@/server/wire/body.ts";
import { AppError } from "@/model/errors.ts";
import { MAX_LOGO_BYTES, myPage, myPagePut } from "@/model/schema/accounts/my_page.ts";
import { findLogo } from "@/server/core/accounts/service/logo.ts";
import { getMyPage, saveMyPage } from "@/server/core/accounts/service/my_page.ts";
import { bodyLimits, json, type Routes } from "@/server/core/http/app.ts";

/** Maximum request size, bytes: the logo, plus 16 KiB for names and multipart headers. */
const MAX_BODY_BYTES = MAX_LOGO_BYTES + (1 << 14);
const YEAR_S = 31_536_000;

/**
 * Reads the form completely, because it is small. @throws {AppError}
 * `logo.too_large` beyond the maximum size, `input.invalid`.
 */
async function readForm(request: Request): Promise<FormData> {
  const limits = { ...bodyLimits(request, MAX_BODY_BYTES), tooLarge: "logo.too_large" } as const;
  const bytes = await readBody(request.body, limits);
  const type = request.headers.get("content-type") ?? "";
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch (cause) {
    throw new AppError("input.invalid", "Cannot read the form: not multipart", {}, { cause });
  }
}

export const myPageRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/settings/mypage",
    async (context) => json(myPage, await getMyPage(services, context.var.caller)),
  );
  api.put("/api/v1/settings/mypage", async (context) => {
    const form = await readForm(context.req.raw), logo = form.get("logo");
    const texts = [...form].filter(([, value]) => typeof value === "string");
    const put = myPagePut.safeParse(Object.fromEntries(texts));
    if (!put.success) {
      const field = String(put.error.issues[0]?.path[0] ?? "form");
      throw new AppError("input.invalid", "Cannot save My Page: a field is not valid", { field });
    }
    const file = logo instanceof File && logo.size > 0
      ? new Uint8Array(await logo.arrayBuffer())
      : null;
    return json(myPage, await saveMyPage(services, put.data, file, context.var.caller));
  });
  api.get("/api/v1/settings/mypage/logo", async ({ req }) => {
    const logo = await findLogo(services.db);
    if (!logo) throw new AppError("entity.not_found", "Cannot find the logo: there is none");
    return new Response(logo.png, {
      headers: {
        "content-type": "image/png",
        "content-length": String(logo.png.length),
        "vary": "authorization",
        "cache-control": req.query("v") === logo.version
          ? `private, max-age=${YEAR_S}, immutable`
          : "private, no-cache",
      },
    });
  });
};
