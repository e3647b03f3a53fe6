import type { Handler, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { AppError, type ErrorCode, type ErrorDetails } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { pagesText } from "@/model/text/pages.ts";
import type { Api } from "@/client/api/http.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import { languageOf } from "@/server/edge/pages/language.ts";
import type { IslandFrame, LoaderRequest, PageModule } from "@/server/edge/pages/page.ts";
import { type Launch, launchOf } from "@/server/edge/session/launch.ts";
import { renderPage, requestQueryClient } from "@/server/edge/pages/render.tsx";
import { sessionSender } from "@/server/edge/remote/session_call.ts";
import { problemResponse } from "@/server/edge/web/security.ts";
import type { SiteContext, SiteEnv } from "@/server/edge/web/site.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type RouteModule = PageModule & Partial<Record<(typeof METHODS)[number], Handler<SiteEnv>>>;

/** Hono pattern of a file under `routes/`: `patients/[pid].tsx` is `/patients/:pid`. */
export function pathToPattern(file: string): string {
  return "/" + file.replace(/\.tsx?$/, "").replace(/(^|\/)index$/, "")
    .replace(/\[\.\.\.(\w+)\]/g, ":$1{.+}")
    .replace(/\[(\w+)\]/g, ":$1");
}

/** Order of routes: exact paths first, then named segments, then catch-alls. */
export function byPrecision(a: string, b: string): number {
  const rank = (file: string) => file.includes("[...") ? 2 : file.includes("[") ? 1 : 0;
  return rank(a) - rank(b) || b.split("/").length - a.split("/").length || a.localeCompare(b);
}

async function* filesIn(folder: URL, prefix = ""): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    if (entry.isDirectory) {
      yield* filesIn(new URL(entry.name + "/", folder), prefix + entry.name + "/");
    } else if (/(?<!_test)\.tsx?$/.test(entry.name) && !entry.name.startsWith("_")) {
      yield prefix + entry.name;
    }
  }
}

/** Makes the API client with the session of the page's user. */
function apiFor(context: SiteContext): Api {
  const call = sessionSender(context);
  return {
    origin: "http://core",
    cachedValue: context.var.site.core.cachedValue,
    // returned as problem details, like an error of the core
    send: async (request) => {
      try {
        return await call(request);
      } catch (error) {
        if (error instanceof AppError) return problemResponse(context, error);
        throw error;
      }
    },
  };
}

interface RouterOptions {
  folder: URL;
  frame: IslandFrame;
  /** text of an error, for the error page */
  messageOf: (code: ErrorCode, details: ErrorDetails, language: Language) => string;
  /** whether developer pages are included */
  isDev?: boolean;
}

/** Page for a user who must replace a generated password. */
const PASSWORD_PAGE = "/password";
/** Page for a user who must set up one-time codes. */
const FACTOR_PAGE = "/second-factor";

/**
 * Registers all modules of a folder: pages with access checks, API modules by method,
 * and the not-found and error pages `_404.tsx` and `_error.tsx`.
 */
export async function addFileRoutes(
  app: Hono<SiteEnv>,
  { folder, frame, messageOf, isDev = false }: RouterOptions,
): Promise<void> {
  const load = (file: string): Promise<RouteModule> => import(new URL(file, folder).href);
  const [notFoundPage, errorPage] = await Promise.all([load("_404.tsx"), load("_error.tsx")]);

  const show = async (
    context: SiteContext,
    module: PageModule,
    user: User | null,
    { given, launch = null }: { given?: unknown; launch?: Launch | null } = {},
  ) => {
    const queryClient = requestQueryClient();
    const page: LoaderRequest = {
      url: launch?.url ?? new URL(context.req.url),
      launchedFrom: launch?.from ?? "",
      params: context.req.param() as Record<string, string>,
      language: languageOf(context),
      user,
      queryClient,
      api: apiFor(context),
      cookie: (name) => getCookie(context, name),
      pictures: context.var.site.pictures,
    };
    const data = given ?? await module.loader?.(page);
    if (data instanceof Response) return data;
    const status = module.statusOf?.(data as never);
    return renderPage(context, { module, page, data, queryClient, frame, status });
  };

  const showNotFound = (context: SiteContext) => show(context, notFoundPage, null);

  /**
   * Page of an error, by the access rules of the worklist and viewer documents (D1, D2):
   * signed out → /login, not authorised → /403, unknown → not found.
   */
  const showError = async (context: SiteContext, error: unknown, returnPath: string) => {
    const code = error instanceof AppError ? error.code : "internal";
    const { path } = context.req;
    if (code.startsWith("token.")) {
      context.var.site.sessions.close(context);
      return context.redirect(
        returnPath === "/" ? "/login" : `/login?next=${encodeURIComponent(returnPath)}`,
      );
    }
    if (code === "access.forbidden") return context.redirect("/403");
    if (code === "entity.not_found") return await showNotFound(context);
    context.var.site.log("error", "Cannot show a page", {
      path,
      request: context.var.requestId,
      error,
    });
    const details = error instanceof AppError ? error.details : {}, language = languageOf(context);
    const call = details.answer_of === undefined ? null : `GET ${details.answer_of}`;
    const given = {
      code,
      text: call === null
        ? messageOf(code, details, language)
        : textIn(pagesText.answerUnknown, language, { call }),
      requestId: context.var.requestId,
    };
    const response = await show(context, errorPage, null, { given });
    return new Response(response.body, {
      status: error instanceof AppError ? error.status : 500,
      headers: response.headers,
    });
  };

  const files = await Array.fromAsync(filesIn(folder));
  for (const file of files.sort(byPrecision)) {
    const module = await load(file);
    if (module.isDevOnly && !isDev) continue;
    const pattern = pathToPattern(file);
    for (const method of METHODS) {
      const handler = module[method];
      if (handler) app.on(method, pattern, handler);
    }
    if (!module.default) continue;
    app.get(pattern, async (context) => {
      const { pathname, search } = new URL(context.req.url);
      let returnPath = pathname + search;
      try {
        const launch = launchOf(context, module);
        if (launch instanceof Response) return launch;
        if (launch !== null && "problem" in launch) {
          return await show(context, module, null, { given: launch });
        }
        returnPath = launch?.returnPath ?? returnPath;
        const user = module.access === "public" ? null : await getUser(apiFor(context));
        const nextQuery = `?next=${encodeURIComponent(returnPath)}`;
        if (user?.must_change_password && pattern !== PASSWORD_PAGE) {
          return context.redirect(PASSWORD_PAGE + nextQuery);
        }
        if (user?.must_enrol && ![PASSWORD_PAGE, FACTOR_PAGE].includes(pattern)) {
          return context.redirect(FACTOR_PAGE + nextQuery);
        }
        return await show(context, module, user, { launch });
      } catch (error) {
        return await showError(context, error, returnPath);
      }
    });
  }
  app.notFound(showNotFound);
}
