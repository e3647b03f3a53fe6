import { networkList } from "@/model/site/networks.ts";
import { ImageCache } from "@/server/edge/web/image_cache.ts";
import { openRemoteCore } from "@/server/edge/remote/remote_core.ts";
import { createSite } from "@/server/edge/site.ts";
import { siteLog } from "@/server/commands/operate/site_log.ts";
import { environmentOrExit } from "@/server/commands/start/environment.ts";
import { CERTIFICATES } from "@/server/commands/start/permissions.ts";
import { lockData, serveSite, stop } from "@/server/commands/start/serve_site.ts";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Additional certificates that the hospital trusts, PEM. */
function trusted(): string | undefined {
  const path = Deno.env.get(CERTIFICATES);
  try {
    return path ? Deno.readTextFileSync(path) : undefined;
  } catch (error) {
    return stop(`Cannot read ${CERTIFICATES}: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Serves the edge of a remote core until SIGINT or SIGTERM: pages, sessions, sockets and cached
 * images, without database, engine and converter. The core need not be running yet.
 * @param endsWithInput Whether to end when standard input closes too.
 */
export async function startEdge(endsWithInput: boolean): Promise<never> {
  const environment = environmentOrExit();
  const { dataDir, coreKey: key, cacheBytes, userService, language } = environment;
  const url = environment.coreUrl ?? stop("Set SULCUS_CORE_URL to the address of the core");
  const log = siteLog(environment), { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !LOOPBACK.test(hostname)) {
    log(
      "warn",
      "Connecting to the core without TLS: patient data and passwords can be read in transit",
    );
  }
  const lock = await lockData(
    dataDir,
    () => Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 }),
  );
  const cache = cacheBytes === 0
    ? null
    : await ImageCache.open(`${dataDir}/images`, cacheBytes, log);
  const core = openRemoteCore({ url, key, cache, log, ca: trusted() }),
    proxies = networkList(environment.trustedProxies);
  const { securityContact, metricsToken } = environment.operating;
  const settings = {
    dataDir,
    log,
    userService,
    language,
    isTrustedProxy: proxies.has,
    securityContact,
    metricsToken,
  };
  const site = await createSite({ core, settings }).catch((error: Error) => stop(error.message));
  return await serveSite(environment, log, site, {
    endsWithInput,
    close: async () => {
      core.close();
      await cache?.close();
      lock.close();
    },
  });
}
