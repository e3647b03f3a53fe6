import { useState } from "react";
import { presentError } from "@/client/notices/present_error.ts";

/** State of the actions of a page: whether one is running, and a function that runs one. */
interface Action {
  /** whether an action is running: controls are then disabled */
  isBusy: boolean;
  /** Runs an action, shows an error if it fails, and reloads the page's data in any case. */
  act(work: () => Promise<unknown>): Promise<void>;
}

/** Actions that run one at a time. @param reload Reads the page's data again. */
export function useAction(reload: () => Promise<unknown> = () => Promise.resolve()): Action {
  const [isBusy, setBusy] = useState(false);
  const act = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      presentError(error);
    } finally {
      await reload().catch(presentError);
      setBusy(false);
    }
  };
  return { isBusy, act };
}
