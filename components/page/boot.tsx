/// <reference path="../../client/page/virtual_islands.d.ts" />
// Entry point of every page, which hydrates the page's islands.
import { createElement, type ReactNode, startTransition, StrictMode, useEffect } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import registry from "virtual:islands";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { reportCrash, watchForCrashes } from "@/client/page/crash_report.ts";
import { IslandFrame } from "@/components/page/island_frame.tsx";
import { onSessionEnd, startLiveUpdates } from "@/client/live/live_updates.ts";
import { loadAssetsOnHover } from "@/client/page/assets_ahead.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { readJson, readPageState } from "@/client/page/page_state.ts";
import { reloadStalePage } from "@/client/page/stale_page.ts";
import { whenIdle } from "@/client/page/when_idle.ts";

watchForCrashes();
const state = readPageState();

const starts: Record<string, (element: Element, start: () => void) => void> = {
  load: (_element, start) => start(),
  idle: (_element, start) => whenIdle(start),
  visible: (element, start) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      start();
    });
    observer.observe(element.firstElementChild ?? element);
  },
};

/** Calls `onDone` when the island's effects have run: the island then receives socket events. */
function Hydrated({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  useEffect(onDone, []);
  return children;
}

/** Unmounts an island after the user's session has ended, except the island with that notice. */
function removeAtSessionEnd(name: string, root: Root): void {
  if (name !== "Notices") onSessionEnd(() => root.unmount());
}

async function startIsland(element: HTMLElement): Promise<void> {
  const name = element.dataset.island!;
  const load = registry[name];
  if (!load) throw new TypeError(`no island is called ${name}`);
  const { default: Island } = await load();
  const props = readJson(element.nextElementSibling);
  const { promise, resolve } = Promise.withResolvers<void>();
  const tree = (
    <StrictMode>
      <Hydrated onDone={resolve}>
        <IslandFrame
          queryClient={null}
          language={state.language}
          timeZone={state.timeZone}
          user={state.user}
        >
          <CrashBoundary>{createElement(Island, props)}</CrashBoundary>
        </IslandFrame>
      </Hydrated>
    </StrictMode>
  );
  const options = {
    identifierPrefix: `${name}-`,
    onCaughtError: (error: unknown) => {
      console.error(error);
      reportCrash(name, error);
    },
    onRecoverableError: (error: unknown) =>
      document.documentElement.dataset.hydrationError = String(error),
  };
  if (element.dataset.ssr === undefined) {
    element.replaceChildren();
    const root = createRoot(element, options);
    root.render(tree);
    removeAtSessionEnd(name, root);
  } else {
    // hydrates in several tasks, so that the page can handle input in between
    startTransition(() => removeAtSessionEnd(name, hydrateRoot(element, tree, options)));
  }
  await promise;
  element.dataset.hydrated = "";
}

// earlier versions may have left a service worker that serves outdated pages (D1 §4)
navigator.serviceWorker?.getRegistrations().then(async (registrations) => {
  if (registrations.length === 0) return;
  await Promise.all(registrations.map((registration) => registration.unregister()));
  location.reload();
}).catch(() => {/* not allowed here: then there is none either */});

/** Hydrates each island in a separate task, so that input is handled in between. */
let turn = Promise.resolve();
const inTurn = (): Promise<void> => turn = turn.then(nextTask);

/**
 * Starts the socket after the islands that hydrate at once,
 * so that their caches receive all events.
 */
const started: Promise<void>[] = [];
for (const element of document.querySelectorAll<HTMLElement>("[data-island]")) {
  const when = element.dataset.when ?? "load";
  starts[when]!(element, () => {
    const start = inTurn().then(() => startIsland(element)).catch(reloadStalePage);
    if (when === "load") started.push(start);
  });
}
const { user, ahead } = state;
if (ahead) whenIdle(() => loadAssetsOnHover(ahead));
if (user !== null) void Promise.all(started).then(nextTask).then(() => startLiveUpdates(user));
