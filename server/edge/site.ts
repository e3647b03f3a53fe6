import "@/server/edge/pages/production.ts";
import { Hono } from "hono";
import { FOLDERS } from "@/fresh.config.ts";
import { AppError } from "@/model/errors.ts";
import type { Language } from "@/model/text.ts";
import { IslandFrame } from "@/components/page/island_frame.tsx";
import { messageOf } from "@/client/notices/messages.ts";
import { readManifest } from "@/server/edge/pages/manifest.ts";
import { addFileRoutes } from "@/server/edge/web/router.ts";
import type { RequestInfo } from "@/server/edge/web/connections.ts";
import { requestIdOf } from "@/server/edge/web/client_address.ts";
import {
  checkAddress,
  checkOrigin,
  problemResponse,
  securityHeaders,
} from "@/server/edge/web/security.ts";
import { EdgeService } from "@/server/edge/remote/edge_service.ts";
import { Sessions } from "@/server/edge/session/sessions.ts";
import type { CoreLink, Log } from "@/server/edge/remote/core_link.ts";
import type { Site, SiteEnv } from "@/server/edge/web/site.ts";
import { PictureService } from "@/server/edge/first_picture/picture_service.ts";
import { Sockets } from "@/server/edge/live/sockets.ts";
import { compressAnswers } from "@/server/edge/pages/compress_answers.ts";
import { countAnswers, health, metrics, ready } from "@/server/edge/operate/monitoring.ts";
import { securityText } from "@/server/edge/operate/security_text.ts";
import { serveFonts } from "@/server/edge/pages/font_files.ts";
import { serveStatic } from "@/server/edge/web/static_files.ts";

/** Root of the repository or release. */
const ROOT = new URL("../../", import.meta.url);
const SESSION_SWEEP_INTERVAL_MS = 10 * 60_000;

export interface SiteSettings {
  /**
   * folder of `edge.sqlite`, which preserves sessions across restarts; `null`: sessions in memory
   */
  dataDir: string | null;
  log?: Log;
  /** proxies with a trusted X-Forwarded-For; none by default */
  isTrustedProxy?: (address: string) => boolean;
  /** origin of an external user service for the paths under /vuuc; the core's own by default */
  userService?: string | null;
  /** default language; English if absent */
  language?: Language;
  /** secret that edges in other processes must present; by default none are accepted */
  edgeKey?: string | null;
  /** contact for security reports; default: security@ the site's host name */
  securityContact?: string | null;
  /** token that Prometheus must present for the metrics; `null`: only this machine may read them */
  metricsToken?: string | null;
  /** whether viewer pages contain server-rendered pictures; true by default */
  hasPictures?: boolean;
  /** Time that a viewer's page waits for the first pictures, ms. */
  picturePatienceMs?: number;
}

/** The running site: a Fetch-like function, and functions that end the site. */
export interface SiteServer {
  fetch(request: Request, info?: RequestInfo): Response | Promise<Response>;
  /**
   * Closes all sockets, before {@link SiteServer.close}. The site then accepts no more calls,
   * and completes running calls.
   */
  leave(): void;
  close(): void;
}

/**
 * Creates the site on a core: pages, islands, API proxy, sockets and static files.
 *
 * @throws Error when `static/build` has not been built.
 */
export async function createSite(
  { core, settings }: { core: CoreLink; settings: SiteSettings },
): Promise<SiteServer> {
  const log: Log = settings.log ?? (() => {});
  const sessions = new Sessions(
    settings.dataDir ? `${settings.dataDir}/edge.sqlite` : ":memory:",
    core,
  );
  const sockets = new Sockets(core, log);
  const edgeService = new EdgeService(core, settings.edgeKey ?? null, log);
  const { isTrustedProxy = () => false, userService = null } = settings;
  const { language: defaultLanguage = "en" } = settings, manifest = await readManifest(ROOT);
  const warn = (message: string, error: unknown) => log("warn", message, { error });
  const pictures = settings.hasPictures === false
    ? null
    : new PictureService(warn, settings.picturePatienceMs);
  const site: Site = {
    core,
    sessions,
    sockets,
    edgeService,
    manifest,
    pictures,
    log,
    isTrustedProxy,
    userService,
    defaultLanguage,
  };
  const sweep = setInterval(() => sessions.deleteExpired(), SESSION_SWEEP_INTERVAL_MS);
  Deno.unrefTimer(sweep as unknown as number);

  const app = new Hono<SiteEnv>();
  app.use(async (context, next) => {
    context.set("site", site);
    context.set("requestId", requestIdOf(context) ?? crypto.randomUUID());
    await next();
  });
  app.use(countAnswers);
  app.use(securityHeaders);
  app.use(compressAnswers);
  app.use(checkAddress);
  app.use(checkOrigin);
  app.on(["GET", "HEAD"], "/static/fonts/*", serveFonts(new URL("report/pdf/fonts/", ROOT)));
  app.on(["GET", "HEAD"], "/static/*", serveStatic(new URL(FOLDERS.static, ROOT)));
  app.on(["GET", "HEAD"], "/health", health);
  app.on(["GET", "HEAD"], "/ready", ready);
  app.get("/metrics", metrics(settings.metricsToken ?? null, () => sockets.size));
  app.on(
    ["GET", "HEAD"],
    "/.well-known/security.txt",
    securityText(settings.securityContact ?? null),
  );
  await addFileRoutes(app, {
    folder: new URL(FOLDERS.routes, ROOT),
    frame: IslandFrame,
    messageOf,
    isDev: manifest.isDev,
  });
  app.onError((error, context) => {
    if (error instanceof AppError) return problemResponse(context, error);
    const { path } = context.req;
    log("error", "Cannot answer a request", { path, request: context.var.requestId, error });
    return problemResponse(
      context,
      new AppError("internal", "Cannot answer the request", {}, { cause: error }),
    );
  });

  return {
    fetch: (request, info) => app.fetch(request, info),
    leave() {
      sockets.leave();
      edgeService.leave();
    },
    close() {
      clearInterval(sweep);
      pictures?.close();
      sockets.dispose();
      edgeService.dispose();
      sessions.dispose();
    },
  };
}
