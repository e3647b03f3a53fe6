/** Settings of the hub for context sharing (FHIRcast). */
export interface HubSettings {
  /** URL to which subscriptions and events are posted */
  url: string;
  /** pattern of a user's topic at the hub; `{email}` is replaced by the sign-in name */
  topic: string;
  /** bearer token of this site at the hub; `null` if the hub requires none */
  token: string | null;
  /** additional `host:port` pairs that may provide the hub's WebSockets */
  hosts: readonly string[];
  /** factor for delays before reconnecting, 1 by default; smaller in tests */
  delayFactor?: number;
}

/** Topic of a user at the hub, made from the pattern in the settings. */
export const topicOf = ({ topic }: HubSettings, email: string): string =>
  topic.replaceAll("{email}", () => email);

/** Host and port of a URL; a missing port is the default port of the scheme. */
export const hostPortOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;

/**
 * WebSocket URL that a hub has named; `null` if this site must not connect to it:
 * because of another host, or no TLS although the hub itself has TLS.
 */
export function endpointOf({ url, hosts }: HubSettings, text: unknown): URL | null {
  const hub = new URL(url), endpoint = typeof text === "string" ? URL.parse(text) : null;
  if (endpoint === null || !/^wss?:$/.test(endpoint.protocol)) return null;
  if (hub.protocol === "https:" && endpoint.protocol !== "wss:") return null;
  if (endpoint.username || endpoint.password || endpoint.hash) return null;
  return [hostPortOf(hub), ...hosts].includes(hostPortOf(endpoint)) ? endpoint : null;
}
