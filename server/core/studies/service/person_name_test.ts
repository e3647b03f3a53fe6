import assert from "node:assert/strict";
import { displayName } from "@/server/core/studies/service/person_name.ts";

Deno.test("displayName() shows every group of a name, without empty components", () => {
  assert.equal(displayName("Hong^Gildong=洪^吉洞=홍^길동"), "Hong Gildong / 洪 吉洞 / 홍 길동");
  assert.equal(displayName("=山田^太郎"), "山田 太郎");
  assert.equal(displayName("Doe^Jane^^Dr^"), "Doe Jane Dr");
  assert.equal(displayName(""), "");
});

Deno.test("displayName() shows equal groups of a name once", () => {
  assert.equal(displayName("Hong^Gildong=Hong^Gildong=홍^길동"), "Hong Gildong / 홍 길동");
  assert.equal(displayName("Kim^Minsu=Kim^Minsu=Kim^Minsu"), "Kim Minsu");
});
