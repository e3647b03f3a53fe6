// Page of accounts and roles; loaded on demand.
import { type FormEvent, useState } from "react";
import { isRole, type Role, ROLES } from "@/model/accounts/roles.ts";
import type { Account } from "@/model/schema/accounts/users.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { type Language, textIn } from "@/model/text.ts";
import { accountsText, roleText } from "@/model/text/account/accounts.ts";
import { statusText } from "@/model/text/site/status.ts";
import {
  addAccount,
  changeAccount,
  listAccounts,
  resetAccountFactor,
  resetAccountPassword,
} from "@/client/api/accounts/users.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useUser } from "@/client/page/user.ts";
import { confirmInModal } from "@/client/notices/present_error.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { Button } from "@/components/Button.tsx";
import { CELL, Head, useStatusList } from "@/components/administration/use_list.tsx";

const BOX = "h-8 rounded-md border border-line-strong bg-white px-2 text-[13px]";

function Accounts() {
  const language = useLanguage(),
    text = useText(accountsText),
    status = useText(statusText),
    user = useUser();
  const { data, missing, isBusy, change } = useStatusList(
    queryKeys.accounts,
    (signal) => listAccounts(browserApi, signal),
  );
  const [shown, setShown] = useState<{ email: string; password: string } | null>(null);
  if (!data) return missing;
  const resetPassword = async ({ user_id, email }: Account) => {
    if (!await confirmInModal("account.reset_password", { email })) return;
    await change(async () =>
      setShown({ email, ...await resetAccountPassword(browserApi, user_id) })
    );
  };
  const resetFactor = async ({ user_id, email }: Account) => {
    if (!await confirmInModal("account.reset_factor", { email })) return;
    await change(() => resetAccountFactor(browserApi, user_id));
  };
  const act = (account: Account) => ({
    role: (role: Role) => void change(() => changeAccount(browserApi, account.user_id, { role })),
    state: (state: "active" | "suspended") =>
      void change(() => changeAccount(browserApi, account.user_id, { state })),
    password: () => void resetPassword(account),
    factor: () => void resetFactor(account),
  });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-ink-soft">{text("explained")}</p>
      {shown && (
        <p
          role="status"
          className="rounded-md border border-line bg-brand-50 px-4 py-2 text-sm text-ink break-all"
        >
          {text("password", shown)}
        </p>
      )}
      <section className="rounded-xl border border-line bg-white overflow-hidden">
        <table className="w-full text-[13px]" aria-label={status("accounts")}>
          <Head
            names={(["email", "name", "role", "state", "signIn"] as const).map((name) =>
              text(name)
            )}
          />
          <tbody>
            {data.users.map((account) => (
              <AccountRow
                key={account.user_id}
                account={account}
                language={language}
                isSelf={account.user_id === user?.user_id}
                isBusy={isBusy}
                act={act(account)}
              />
            ))}
          </tbody>
        </table>
      </section>
      <NewAccount
        language={language}
        isBusy={isBusy}
        onAdd={(email, role) =>
          void change(async () => {
            const { password } = await addAccount(browserApi, { email, role });
            setShown({ email, password });
          })}
      />
    </div>
  );
}

interface AccountRowProps {
  account: Account;
  language: Language;
  /**
   * whether this row is the signed-in user's account: password, second factor and state are locked
   */
  isSelf: boolean;
  isBusy: boolean;
  act: {
    role: (role: Role) => void;
    state: (state: "active" | "suspended") => void;
    password: () => void;
    factor: () => void;
  };
}

function AccountRow({ account, language, isSelf, isBusy, act }: AccountRowProps) {
  const text = useText(accountsText),
    { email, name, role, state, source, has_second_factor } = account;
  const otherState = state === "active" ? "suspended" as const : "active" as const;
  return (
    <tr className="border-b border-line last:border-b-0 text-ink">
      <td className={`${CELL} break-all`}>{email}</td>
      <td className={CELL}>
        <bdi>{name ?? "-"}</bdi>
      </td>
      <td className={CELL}>
        <RoleChoice
          role={role}
          label={text("roleOf", { email })}
          language={language}
          isDisabled={isBusy || source !== "local" || isSelf}
          onChoose={act.role}
        />
      </td>
      <td className={CELL}>{text(state)}</td>
      <td className={CELL}>
        {text(source)}
        {has_second_factor && `, ${text("withCode")}`}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap`}>
        {state !== "device" && !isSelf && (
          <Button
            size="small"
            disabled={isBusy}
            onClick={() => act.state(otherState)}
          >
            {text(state === "active" ? "suspend" : "activate")}
          </Button>
        )}{" "}
        {source === "local" && !isSelf && (
          <Button size="small" disabled={isBusy} onClick={act.password}>
            {text("resetPassword")}
          </Button>
        )}{" "}
        {has_second_factor && !isSelf && (
          <Button size="small" disabled={isBusy} onClick={act.factor}>{text("resetFactor")}</Button>
        )}
      </td>
    </tr>
  );
}

interface RoleChoiceProps {
  role: Role;
  label: string;
  language: Language;
  /**
   * disabled for the signed-in user's account, and for roles from the hospital's directory groups
   */
  isDisabled: boolean;
  onChoose: (role: Role) => void;
}

const RoleChoice = ({ role, label, language, isDisabled, onChoose }: RoleChoiceProps) => (
  <select
    className={BOX}
    aria-label={label}
    value={role}
    disabled={isDisabled}
    onChange={({ currentTarget: { value } }) => isRole(value) && onChoose(value)}
  >
    {ROLES.map((each) => <option key={each} value={each}>{textIn(roleText[each], language)}
    </option>)}
  </select>
);

function NewAccount(
  { language, isBusy, onAdd }: {
    language: Language;
    isBusy: boolean;
    onAdd: (email: string, role: Role) => void;
  },
) {
  const text = useText(accountsText),
    [email, setEmail] = useState(""),
    [role, setRole] = useState<Role>("physician");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd(email, role);
    setEmail("");
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <input
        type="email"
        required
        className={`${BOX} w-72`}
        aria-label={text("email")}
        placeholder={text("email")}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <RoleChoice
        role={role}
        label={text("role")}
        language={language}
        isDisabled={isBusy}
        onChoose={setRole}
      />
      <Button type="submit" disabled={isBusy || email === ""}>{text("add")}</Button>
    </form>
  );
}

export default withQueries(Accounts);
