// Environment settings of context sharing with other applications (FHIRcast).
import type { HubSettings } from "@/server/core/studies/service/context/hub_settings.ts";
import { hostPortOf } from "@/server/core/studies/service/context/hub_settings.ts";

export const CONTEXT_VARIABLES = [
  "SULCUS_FHIRCAST_URL",
  "SULCUS_FHIRCAST_TOPIC",
  "SULCUS_FHIRCAST_TOKEN_FILE",
  "SULCUS_FHIRCAST_HOSTS",
] as const;
type Name = (typeof CONTEXT_VARIABLES)[number];

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const HOST_PORT = /^(\[[0-9a-f:.]+\]|[\w.-]+):\d{1,5}$/i;

/** Servers and files that the connection to the hub needs. */
export interface ContextReach {
  net: string[];
  read: string[];
}

interface ContextEnvironment {
  hub: HubSettings | null;
  reach: ContextReach;
}

/**
 * Reads the settings of the hub.
 * @param read Reads the file of the token.
 * @param problems Receives one line per invalid value.
 */
export function readContext(
  text: (name: Name) => string | undefined,
  problems: string[],
  read: (path: string) => string = Deno.readTextFileSync,
): ContextEnvironment {
  const reach: ContextReach = { net: [], read: [] }, address = text("SULCUS_FHIRCAST_URL");
  if (address === undefined) {
    const lone = CONTEXT_VARIABLES.find((name) => text(name) !== undefined);
    if (lone !== undefined) problems.push(`${lone} requires SULCUS_FHIRCAST_URL as well`);
    return { hub: null, reach };
  }
  const url = URL.parse(address);
  const isSafe = url !== null && !url.username && !url.password && !url.hash &&
    (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname)));
  if (!isSafe) problems.push("SULCUS_FHIRCAST_URL must be an https address without a username");
  const topic = text("SULCUS_FHIRCAST_TOPIC") ?? "{email}";
  // refused: a topic that all users share would open one user's study for every other user
  if (!topic.includes("{email}") || topic.length > 200) {
    problems.push("SULCUS_FHIRCAST_TOPIC must contain {email}, because each user has a session");
  }
  const hosts = (text("SULCUS_FHIRCAST_HOSTS") ?? "").split(",").map((one) => one.trim())
    .filter(Boolean);
  if (hosts.some((one) => !HOST_PORT.test(one))) {
    problems.push("SULCUS_FHIRCAST_HOSTS must be a comma-separated list of host:port");
  }
  const path = text("SULCUS_FHIRCAST_TOKEN_FILE");
  let token: string | null = null;
  if (path !== undefined) {
    reach.read.push(path);
    try {
      token = read(path).trim();
      if (!/^[\x21-\x7e]+$/.test(token) && isSafe) {
        problems.push("SULCUS_FHIRCAST_TOKEN_FILE must contain one token");
      }
    } catch (error) {
      problems.push(
        `SULCUS_FHIRCAST_TOKEN_FILE cannot be read: ${
          error instanceof Error ? error.message : error
        }`,
      );
    }
  }
  if (!isSafe) return { hub: null, reach };
  reach.net.push(hostPortOf(url), ...hosts);
  return { hub: { url: url.href, topic, token, hosts }, reach };
}
