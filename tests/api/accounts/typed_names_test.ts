// covers: S-105
import assert from "node:assert/strict";
import { call } from "@/client/api/http.ts";
import { admitPerson } from "@/server/core/accounts/service/admission.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";

coreTest(
  "names of people are stored without characters that turn printed text around",
  async ({ api, dataDir }) => {
    const db = await openBeside(dataDir), shown = "Kim gnip";
    const name = shown.replace(" ", "\u202e ") + "\u2066\u200b";
    await call(api, "/api/v1/users", {
      method: "POST",
      json: { email: "a@hospital.test", name, role: "physician" },
    });
    await addUser(db, { email: "b@hospital.test", name });
    const person = {
      source: "ldap",
      subject: "c",
      email: "c@hospital.test",
      role: "physician",
      name,
    };
    await admitPerson({ db, log: () => {} } as unknown as ServiceContext, person as never);
    const users = await db.selectFrom("users").select("name").where(
      "email",
      "like",
      "%@hospital.test",
    )
      .where("email", "in", ["a@hospital.test", "b@hospital.test", "c@hospital.test"]).execute();
    assert.deepEqual(users.map(({ name }) => name), [shown, shown, shown]);
    await db.destroy();
  },
);
