import { useSignals } from "@preact/signals-react/runtime";
import { type FocusEvent, type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import { commonText } from "@/model/text/actions.ts";
import { sessionText } from "@/model/text/session.ts";
import { logout } from "@/client/api/auth.ts";
import { HeaderFrame } from "@/components/HeaderFrame.tsx";
import { LanguageChoice } from "@/components/LanguageChoice.tsx";
import { browserApi } from "@/client/browser_api.ts";
import { chooseLanguage, useLanguage, useText } from "@/client/language.ts";
import { endLiveUpdates, socketState } from "@/client/live_updates.ts";
import { askInModal, presentError } from "@/client/present_error.ts";
import { useUser } from "@/client/user.ts";

const LicenseState = lazy(() => import("@/islands/header_license.tsx"));

/** Product, connection, licence, language, and the menu of who is signed in. */
export default function HeaderBar({ title }: { title?: string }) {
  useSignals();
  const language = useLanguage(), common = useText(commonText), session = useText(sessionText);
  // asked for once the page stands
  const [isStarted, setStarted] = useState(false);
  useEffect(() => setStarted(true), []);
  return (
    <HeaderFrame title={title} homeLabel={common("goHome")}>
      <span role="status" className="text-[13px] text-amber-800">
        {socketState.value === "waiting" && (
          <span className="inline-flex items-center gap-2">
            <span className="spinner" aria-hidden="true" />
            {session("connectionLost")}
          </span>
        )}
      </span>
      {isStarted && (
        <Suspense>
          <LicenseState />
        </Suspense>
      )}
      <LanguageChoice label={common("language")} language={language} onChoose={chooseLanguage} />
      <UserMenu />
    </HeaderFrame>
  );
}

function UserMenu() {
  const user = useUser(), session = useText(sessionText);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const name = user?.name || user?.email || "";

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const closeWhenLeft = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
  };
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) close();
  };
  const signOut = async () => {
    close();
    const goesOn = await askInModal({
      title: session("signOut"),
      text: session("signOutQuestion"),
      confirm: session("signOut"),
    });
    if (!goesOn) return;
    const resume = endLiveUpdates();
    try {
      await logout(browserApi);
      location.assign("/login");
    } catch (error) {
      resume();
      presentError(error);
    }
  };
  return (
    <div className="relative" onBlur={closeWhenLeft} onKeyDown={closeByKey}>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={session("userMenu")}
        onClick={() => setOpen(!isOpen)}
        className="h-9 pl-1 pr-2 flex items-center gap-2 rounded-full hover:bg-canvas"
      >
        <span
          aria-hidden="true"
          className="w-7 h-7 grid place-items-center rounded-full bg-brand-100 text-brand-700 text-xs font-semibold"
        >
          {(name[0] ?? "?").toUpperCase()}
        </span>
        <span className="max-w-[160px] truncate text-sm text-ink">{name}</span>
        <svg
          viewBox="0 0 12 12"
          className="w-3 h-3 text-ink-faint"
          fill="none"
          stroke="currentColor"
          aria-hidden="true"
        >
          <path d="M2.5 4.5L6 8l3.5-3.5" strokeWidth="1.5" />
        </svg>
      </button>
      {isOpen && (
        <div className="absolute right-0 top-11 z-40 w-60 rounded-lg border border-line bg-white shadow-dialog py-1.5">
          <div className="px-4 py-2 border-b border-line">
            <p className="text-xs text-ink-faint">{session("signedInAs")}</p>
            <p className="text-sm text-ink truncate">{user?.email ?? name}</p>
          </div>
          <div role="menu" aria-label={session("userMenu")}>
            <button
              type="button"
              role="menuitem"
              autoFocus
              onClick={signOut}
              className="mt-1 w-full px-4 h-9 text-left text-sm text-ink hover:bg-brand-50"
            >
              {session("signOut")}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
