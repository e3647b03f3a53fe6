/** Hub of context sharing (FHIRcast), as configured. */
export interface HubSettings {
  /** address to which subscriptions and events are posted */
  url: string;
  /** topic of a user's session at the hub; `{email}` is replaced by the sign-in name */
  topic: string;
  /** bearer token of this site; `null`: the hub asks for none */
  token: string | null;
  /** further `host:port` pairs at which the hub may open WebSockets */
  hosts: readonly string[];
  /** factor of the delays before further attempts, 1 by default; smaller in tests */
  delayFactor?: number;
}

/** Topic of a user at the hub, from the pattern in the settings. */
export const topicOf = ({ topic }: HubSettings, email: string): string =>
  topic.replaceAll("{email}", () => email);

/** Host and port of an address, with the default port of the address's scheme. */
export const hostPortOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;

/**
 * Address of the WebSocket that a hub has named; `null` if this site may not open that address:
 * another host, or without TLS although the hub has TLS.
 */
export function endpointOf({ url, hosts }: HubSettings, text: unknown): URL | null {
  const hub = new URL(url), endpoint = typeof text === "string" ? URL.parse(text) : null;
  if (endpoint === null || !/^wss?:$/.test(endpoint.protocol)) return null;
  if (hub.protocol === "https:" && endpoint.protocol !== "wss:") return null;
  if (endpoint.username || endpoint.password || endpoint.hash) return null;
  return [hostPortOf(hub), ...hosts].includes(hostPortOf(endpoint)) ? endpoint : null;
}
