// covers: D1-5.11
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { getMyPage, saveMyPage } from "@/client/api/accounts/my_page.ts";
import { call } from "@/client/api/http.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { colleague, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const logo = (shade: number) => new Blob([encodePng(new Uint8Array(3 * 8 * 4).fill(shade), 8, 4)]);

// covers: D1-7.9
Deno.test("saveMyPage() keeps one's own name, and the hospital's name and logo for all", () =>
  withCore(async ({ api, open, dataDir, events }) => {
    const other = await colleague(open, dataDir);
    assert.deepEqual(await getMyPage(api), {
      name: "Administrator",
      hospital_name: "",
      logo_url: null,
    });
    const saved = await saveMyPage(api, {
      name: " 김의사 ",
      hospital_name: "한국병원",
      logo: logo(9),
    });
    assert.deepEqual([saved.name, saved.hospital_name], ["김의사", "한국병원"]);
    assert.equal((await getUser(api)).name, "김의사");
    assert.deepEqual(events.at(-1)?.event, { event: "setting_update", scope: "group", uid: 1 });
    const theirs = await getMyPage(other);
    assert.deepEqual(theirs, { ...saved, name: "Other" });

    const picture = await call(other, theirs.logo_url!);
    assert.equal(picture.headers.get("content-type"), "image/png");
    assert.match(picture.headers.get("cache-control")!, /^private, .*immutable$/);
    assert.ok((await picture.bytes()).length < 1 << 20);
    await assert.rejects(call({ ...api, token: undefined }, theirs.logo_url!), {
      code: "token.missing",
    });

    // a new logo gets another URL; without `logo` in the request the logo stays
    const next = await saveMyPage(api, {
      name: "김의사",
      hospital_name: "한국병원",
      logo: logo(200),
    });
    assert.notEqual(next.logo_url, saved.logo_url);
    assert.deepEqual(await saveMyPage(api, { name: "김의사", hospital_name: "한국병원" }), next);
    const count = events.length;
    await saveMyPage(api, { name: "Kim", hospital_name: "한국병원" });
    assert.deepEqual(events[count], {
      event: { event: "setting_update", scope: "individual", uid: 1 },
      audience: { uid: 1 },
    });
    const none = await saveMyPage(api, { name: "Kim", hospital_name: "한국병원", logo: null });
    assert.equal(none.logo_url, null);
    await assert.rejects(call(api, theirs.logo_url!), { code: "entity.not_found" });
  }));

// covers: S-78
Deno.test("saveMyPage() refuses the logo of a reader before it decodes the file", () =>
  withCore(async ({ api, open, dataDir }) => {
    const credentials = { email: "reader@hospital.test", password: "correct-horse-8" };
    const db = await openBeside(dataDir);
    await addQuickUser(db, { ...credentials, name: "Reader", role: "reader" });
    await db.destroy();
    const reader = { ...open, token: (await login(open, credentials)).access_token };
    const names = { name: "Reader", hospital_name: "Hospital" };
    // permission is checked before decoding, which would fail with logo.format for the damaged file
    for (const file of [logo(9), new Blob(["GIF89a................."])]) {
      await assert.rejects(saveMyPage(reader, { ...names, logo: file }), {
        code: "access.forbidden",
      });
    }
    assert.equal((await getMyPage(api)).logo_url, null);
  }));

Deno.test("saveMyPage() refuses empty and long names and files that are no picture, and changes nothing", () =>
  withCore(async ({ api }) => {
    const names = { name: "Kim", hospital_name: "Hospital" };
    const refused = [
      [{ ...names, name: "  " }, "input.invalid"],
      [{ ...names, hospital_name: "" }, "input.invalid"],
      [{ ...names, name: "x".repeat(101) }, "input.invalid"],
      [{ ...names, logo: new Blob(["GIF89a................."]) }, "logo.format"],
      [{ ...names, logo: new Blob([new Uint8Array(2 << 20)]) }, "logo.too_large"],
    ] as const;
    for (const [change, code] of refused) await assert.rejects(saveMyPage(api, change), { code });
    assert.deepEqual(await getMyPage(api), {
      name: "Administrator",
      hospital_name: "",
      logo_url: null,
    });
  }));
