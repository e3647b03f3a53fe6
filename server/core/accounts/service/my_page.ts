import { mayDo } from "@/model/accounts/roles.ts";
import { AppError } from "@/model/errors.ts";
import type { MyPage, MyPagePut } from "@/model/schema/accounts/my_page.ts";
import type { Database } from "@/server/core/database/database.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import { findUser, updateUser } from "@/server/core/accounts/storage/users.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { decodeLogo, findLogo, logoUrl, storeLogo } from "@/server/core/accounts/service/logo.ts";

const GROUP = "group";

/** Name of the hospital as printed on reports; empty if none is stored. */
export async function hospitalName(db: Database): Promise<string> {
  const { hospital_name } = await readSettings(db, GROUP);
  return typeof hospital_name === "string" ? hospital_name : "";
}

async function read(db: Database, uid: number): Promise<MyPage> {
  const user = await findUser(db, uid);
  if (!user) throw new AppError("auth.not_found", "Cannot show My Page: the user is deleted");
  return {
    name: user.name ?? "",
    hospital_name: await hospitalName(db),
    logo_url: logoUrl(await findLogo(db)),
  };
}

export const getMyPage = ({ db }: ServiceContext, caller: Caller): Promise<MyPage> =>
  read(db, caller.uid);

const notTheirs = () =>
  new AppError(
    "access.forbidden",
    "Cannot save: the hospital's name and logo are not the caller's",
  );

/**
 * Stores the caller's name, and the name and logo of the hospital, which every report shows.
 *
 * @param logo The uploaded image file; `null`: the stored logo stays.
 * @throws {AppError} `access.forbidden` when the caller may not change the hospital's data,
 * `logo.format`, `logo.too_large`. After an error nothing is stored.
 */
export async function saveMyPage(
  { db, publish }: ServiceContext,
  { name, hospital_name, remove_logo }: MyPagePut,
  logo: Uint8Array | null,
  caller: Caller,
): Promise<MyPage> {
  // before the file is decoded: only people who may change the logo make the server decode one
  if (logo && !mayDo(caller.role, "groupSettings")) throw notTheirs();
  const png = logo && await decodeLogo(logo);
  const { before, after } = await db.transaction().execute(async (tx) => {
    const previousPage = await read(tx, caller.uid);
    const isShared = hospital_name !== previousPage.hospital_name || png !== null || remove_logo;
    if (isShared && !mayDo(caller.role, "groupSettings")) throw notTheirs();
    await updateUser(tx, caller.uid, { name });
    await writeSettings(tx, GROUP, { hospital_name });
    if (png || remove_logo) await storeLogo(tx, png);
    return { before: previousPage, after: await read(tx, caller.uid) };
  });
  if (before.hospital_name !== after.hospital_name || before.logo_url !== after.logo_url) {
    publish({ event: "setting_update", scope: "group", uid: caller.uid });
  } else if (before.name !== after.name) {
    publish({ event: "setting_update", scope: "individual", uid: caller.uid }, { uid: caller.uid });
  }
  return after;
}
