// covers: S-112
import assert from "node:assert/strict";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { mayDo, ROLES } from "@/model/accounts/roles.ts";
import { rolesPage } from "@/tools/documents/reference/roles.ts";

Deno.test("the page of roles has every call once, with a yes for each role that the server answers", () => {
  const marksByCall = new Map(
    rolesPage().split("\n").flatMap((line) => {
      const [, call, marks] = /^\| `(.+)` \|(.+)\|$/.exec(line) ?? [];
      return call && marks
        ? [
          [
            call.replaceAll("\\|", "|"),
            marks.split("|").map((mark) => mark.trim() === "yes"),
          ] as const,
        ]
        : [];
    }),
  );
  assert.deepEqual([...marksByCall.keys()], Object.keys(ENDPOINTS));
  for (const [call, { may: action }] of Object.entries(ENDPOINTS)) {
    assert.deepEqual(
      marksByCall.get(call),
      ROLES.map((role) => action === "public" || mayDo(role, action)),
      call,
    );
  }
});
