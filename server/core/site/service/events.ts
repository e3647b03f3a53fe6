import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";

type Listener = (event: ServerEvent, audience: Audience) => void;

/** Delivers events to subscribers, in order, also after a subscriber that throws an error. */
export class EventHub {
  readonly #listeners = new Set<Listener>();

  constructor(private readonly onError: (error: unknown) => void) {}

  publish = (event: ServerEvent, audience: Audience = {}): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event, audience);
      } catch (error) {
        this.onError(error);
      }
    }
  };

  subscribe = (listener: Listener): () => void => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}
