// Menu of the signed-in user, and the dialogs that the menu opens; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type KeyboardEvent, useEffect, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import { firstRunText } from "@/model/text/worklist/first_run.ts";
import { getDemo, removeDemo } from "@/client/api/site/demo.ts";
import { queryClient } from "@/client/page/query.ts";
import { sessionText } from "@/model/text/account/session.ts";
import { getSignOutAddress, logout } from "@/client/api/accounts/auth.ts";
import { browserApi } from "@/client/browser_api.ts";
import { followDemo, loadDemoPatients } from "@/client/page/demo_loading.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { endLiveUpdates, SESSION_ENDED } from "@/client/live/live_updates.ts";
import { chooseTheme, currentTheme } from "@/client/page/theme.ts";
import { THEMES } from "@/model/theme.ts";
import { confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { CrashGuard } from "@/components/page/crash_guard.tsx";
import { reloadStalePage } from "@/client/page/stale_page.ts";
import { useMay, useUser } from "@/client/page/user.ts";
import { withQueries } from "@/components/page/with_queries.tsx";

/** Dialogs of the menu, each loaded on demand. */
const DIALOGS = {
  settings: () => import("@/components/settings/settings_dialog.tsx"),
  about: () => import("@/components/header/about_dialog.tsx"),
  myPage: () => import("@/components/header/my_page_dialog.tsx"),
};
type DialogName = keyof typeof DIALOGS;

const ITEM =
  "block w-[calc(100%-12px)] mx-1.5 px-2.5 h-9 rounded text-left text-sm text-ink hover:bg-brand-50";

/** Deletes the demo patients after confirmation. */
async function removeDemoPatients(n: number, onClose: () => void): Promise<void> {
  onClose();
  if (!await confirmInModal("demo.remove", { n })) return;
  try {
    const { deleted, excluded } = await removeDemo(browserApi);
    if (excluded.length > 0) presentToast("demo.kept", { n: excluded.length });
    else presentToast("demo.removed", { n: deleted.length });
    await queryClient.invalidateQueries({ queryKey: queryKeys.demo });
  } catch (error) {
    presentError(error);
  }
}

interface HeaderMenuProps {
  isOpen: boolean;
  /** closes the menu and returns the focus to the menu's button */
  onClose: () => void;
}

function HeaderMenu({ isOpen, onClose }: HeaderMenuProps) {
  const user = useUser(),
    canSeeServer = useMay("status"),
    canRestore = useMay("restore"),
    canAdminister = useMay("administer"),
    canRead = useMay("look");
  const session = useText(sessionText);
  const [opened, setOpened] = useState<{ Dialog: ComponentType<{ onClose: () => void }> } | null>(
    null,
  );
  const move = (event: KeyboardEvent) => {
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem]")];
    const at = items.indexOf(event.target as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const target = steps[event.key];
    if (at < 0 || target === undefined) return;
    event.preventDefault();
    items.at(target % items.length)?.focus();
  };
  const open = (name: DialogName) => {
    // the dialog will restore the focus to the currently focused element
    onClose();
    DIALOGS[name]().then((module) => setOpened({ Dialog: module.default }), reloadStalePage);
  };
  const signOut = async () => {
    onClose();
    const goesOn = await confirmInModal("session.sign_out");
    if (!goesOn) return;
    const resume = endLiveUpdates();
    try {
      const elsewhere = user?.source === "oidc" ? await getSignOutAddress(browserApi) : null;
      await logout(browserApi);
      sessionStorage.setItem(SESSION_ENDED, "out");
      location.assign(elsewhere ?? "/login");
    } catch (error) {
      resume();
      presentError(error);
    }
  };
  return (
    <>
      {isOpen && (
        <div className="absolute right-0 top-11 z-40 w-60 rounded-lg border border-line bg-white shadow-dialog py-1.5">
          <div className="px-4 py-2 border-b border-line">
            <p className="text-xs text-ink-faint">{session("signedInAs")}</p>
            <p className="text-sm text-ink truncate">{user?.email || user?.name}</p>
          </div>
          <div role="menu" aria-label={session("userMenu")} onKeyDown={move} className="pt-1">
            {(Object.keys(DIALOGS) as DialogName[]).map((name, n) => (
              <button
                key={name}
                type="button"
                role="menuitem"
                autoFocus={n === 0}
                onClick={() => open(name)}
                className={ITEM}
              >
                {session(name)}
              </button>
            ))}
            {(canSeeServer || canRestore) && (
              <a href="/status" role="menuitem" className={`${ITEM} leading-9`}>
                {session(canSeeServer ? "status" : "bin")}
              </a>
            )}
            {canAdminister && (
              <a href="/acceptance" role="menuitem" className={`${ITEM} leading-9`}>
                {session("acceptance")}
              </a>
            )}
            {canRead && (
              <a href="/reading-studies" role="menuitem" className={`${ITEM} leading-9`}>
                {session("readingStudies")}
              </a>
            )}
            {canAdminister && <DemoItems onClose={onClose} />}
            <ThemeChoice />
            <button type="button" role="menuitem" onClick={() => void signOut()} className={ITEM}>
              {session("signOut")}
            </button>
          </div>
        </div>
      )}
      {opened && (
        <CrashGuard onClose={() => setOpened(null)}>
          <opened.Dialog onClose={() => setOpened(null)} />
        </CrashGuard>
      )}
    </>
  );
}

/** Menu entries for demo patients: load missing patients, delete all. */
function DemoItems({ onClose }: { onClose: () => void }) {
  const first = useText(firstRunText), language = useLanguage();
  const { data } = useQuery({
    queryKey: queryKeys.demo,
    queryFn: ({ signal }) => getDemo(browserApi, signal),
    staleTime: 0,
  }, queryClient);
  const isLoading = data?.is_loading === true;
  useEffect(() => {
    if (isLoading) void followDemo(language);
  }, [isLoading]);
  if (!data?.is_available || data.pid_list.length === 0) return null;
  const { loaded, total, pid_list: { length: n } } = data;
  return (
    <>
      {(isLoading || n < total) && (
        <button
          type="button"
          role="menuitem"
          aria-disabled={isLoading}
          onClick={() => {
            if (isLoading) return;
            onClose();
            void loadDemoPatients(language);
          }}
          className={`${ITEM} ${isLoading ? "text-ink-soft" : ""}`}
        >
          {isLoading
            ? first("loading", { n: Math.min(loaded + 1, total), total })
            : first("loadRest")}
        </button>
      )}
      <button
        type="button"
        role="menuitem"
        onClick={() => void removeDemoPatients(n, onClose)}
        className={ITEM}
      >
        {first("remove")}
      </button>
    </>
  );
}

/** Selection of the colour scheme (light, dark, system); applied immediately. */
function ThemeChoice() {
  const session = useText(sessionText), [theme, setTheme] = useState(currentTheme);
  return (
    <div role="group" aria-label={session("theme")} className="my-1.5 py-1.5 border-y border-line">
      <p aria-hidden="true" className="px-4 pb-1 text-xs text-ink-faint">{session("theme")}</p>
      <div className="mx-1.5 flex gap-1">
        {THEMES.map((each) => (
          <button
            key={each}
            type="button"
            role="menuitemradio"
            aria-checked={each === theme}
            onClick={() => {
              chooseTheme(each);
              setTheme(each);
            }}
            className={`flex-1 px-1.5 h-8 rounded text-[13px] whitespace-nowrap ${
              each === theme ? "bg-brand-600 text-white" : "text-ink hover:bg-brand-50"
            }`}
          >
            {session(each)}
          </button>
        ))}
      </div>
    </div>
  );
}

export default withQueries(HeaderMenu);
