import { AppError } from "@/model/errors.ts";
import {
  accountChange,
  accountList,
  firstPassword,
  newAccount,
} from "@/model/schema/accounts/users.ts";
import {
  addUser,
  changeUser,
  listAccounts,
  resetPasswordOf,
} from "@/server/core/accounts/service/users.ts";
import { json, noContent, readJson, type Routes } from "@/server/core/http/app.ts";

const ONE = "/api/v1/users/:id{[0-9]{1,15}}";

export const accountRoutes: Routes = (api, { db }) => {
  api.get("/api/v1/users", async () => json(accountList, await listAccounts(db)));
  api.post("/api/v1/users", async (context) => {
    const { email, name, role } = await readJson(context.req.raw, newAccount);
    const { id, password } = await addUser(db, { email, name, role });
    context.set("auditDetails", { user: id, role });
    return json(firstPassword, { user_id: id, password: password! }, 201);
  });
  api.put(ONE, async (context) => {
    const id = Number(context.req.param("id")),
      change = await readJson(context.req.raw, accountChange);
    const { role, state } = change;
    context.set("auditDetails", { user: id, ...role ? { role } : {}, ...state ? { state } : {} });
    await changeUser(db, id, change);
    return noContent();
  });
  api.post(`${ONE}/password`, async (context) => {
    const id = Number(context.req.param("id"));
    context.set("auditDetails", { user: id });
    if (id === context.var.caller.uid) {
      throw new AppError("access.forbidden", "Cannot reset the password: it is the caller's own");
    }
    return json(firstPassword, { user_id: id, password: await resetPasswordOf(db, id) });
  });
};
