// covers: S-112
import assert from "node:assert/strict";
import { rolesPage } from "./roles_table.ts";

Deno.test("docs/roles.md is the table by which the server answers", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/roles.md", import.meta.url));
  assert.equal(page, rolesPage(), "run deno task tables");
});
