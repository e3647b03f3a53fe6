import { useSignals } from "@preact/signals-react/runtime";
import { type FocusEvent, type KeyboardEvent, Suspense, useEffect, useRef, useState } from "react";
import type { HelpSubject } from "@/model/text/help.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { sessionText } from "@/model/text/account/session.ts";
import { HeaderFrame } from "@/components/page/HeaderFrame.tsx";
import { LanguageChoice } from "@/components/page/LanguageChoice.tsx";
import { chooseLanguage, useLanguage, useText } from "@/client/page/language.ts";
import { socketState } from "@/client/live/live_updates.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { whenIdle } from "@/client/page/when_idle.ts";
import { useUser } from "@/client/page/user.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";

const HeaderMenu = lazyPart(() => import("@/components/header/header_menu.tsx"));
const StorageWarning = lazyPart(() => import("@/components/header/header_storage.tsx"));
const TrayMenu = lazyPart(() => import("@/components/header/tray_menu.tsx"));
const ContextStatus = lazyPart(() => import("@/components/header/context_status.tsx"));
const LicenseState = lazyPart(() => import("@/components/licence/header_license.tsx"));

interface HeaderBarProps {
  title?: string;
  /** section of the manual about the current page; absent: no help button */
  help?: HelpSubject;
  /** whether the header shows the study that is open in other applications (FHIRcast) */
  followsContext?: boolean;
}

/** Header with product, connection, licence, help, language and user menu. */
export default function HeaderBar({ title, help, followsContext }: HeaderBarProps) {
  useSignals();
  const language = useLanguage(), common = useText(commonText), session = useText(sessionText);
  // the menus load after the first paint, when the browser is idle, so that clicks are not delayed
  const [isStarted, setStarted] = useState(false);
  useEffect(() => whenIdle(() => setStarted(true)), []);
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
          {followsContext && <ContextStatus pid={null} page="viewer" />}
          <TrayMenu />
          <LicenseState />
          <StorageWarning />
        </Suspense>
      )}
      {help && <HelpButton of={help} />}
      <LanguageChoice label={common("language")} language={language} onChoose={chooseLanguage} />
      <UserMenu />
    </HeaderFrame>
  );
}

function UserMenu() {
  const user = useUser(), session = useText(sessionText);
  const [isOpen, setOpen] = useState(false), [wasOpened, setWasOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const name = user?.name || user?.email || "";

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const closeOnBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
  };
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) close();
  };
  return (
    <div className="relative" onBlur={closeOnBlur} onKeyDown={closeOnEscape}>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={session("userMenu")}
        onClick={() => {
          setOpen(!isOpen);
          setWasOpened(true);
        }}
        className="h-9 pl-1 pr-2 flex items-center gap-2 rounded-full hover:bg-canvas"
      >
        <span
          aria-hidden="true"
          className="w-7 h-7 grid place-items-center rounded-full bg-brand-100 text-brand-700 text-xs font-semibold"
        >
          {(name[0] ?? "?").toUpperCase()}
        </span>
        <span className="user-name truncate text-sm text-ink">{name}</span>
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
      {wasOpened && (
        <Suspense>
          <HeaderMenu isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </div>
  );
}
