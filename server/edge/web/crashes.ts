// Receives crash reports of pages for the server's log.
// No session is required, because the sign-in page may crash too, and no report is trusted.
import { BodyBudget, readBody } from "@/server/wire/body.ts";
import { AppError } from "@/model/errors.ts";
import { networkOf } from "@/model/site/networks.ts";
import { clientAddress } from "@/server/edge/web/client_address.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

/**
 * Maximum size of a crash report, four times the size that pages send in ASCII.
 * All concurrent reports together are limited to 1 MiB.
 */
const BODY_LIMITS = { maxBytes: 16_384, budget: new BodyBudget(1 << 20, 256 << 10) };
const MAX_FRAMES = 12, MAX_MESSAGE = 300;
const WINDOW_MS = 60_000;
/** Maximum number of log lines per minute: for one address, and in total. */
const MAX_PER_ADDRESS = 30, MAX_PER_MINUTE = 100;

/** Capitalised words that are no names of people: words of JavaScript, its objects, and React. */
const NO_NAME =
  /^(?:[A-Z]\w*(?:Error|Event|Element|Array|Node|Object|Exception|Context)|Array|Map|Set|Object|Promise|Symbol|String|Number|Function|React|DOM|JSON|NaN|Infinity|URL|WebGL|WebAssembly|Minified|Cannot|Failed|Invalid|Maximum|Rendered|The|See|I)$/;

/**
 * Error message with possible patient data removed: quoted texts, numbers of three or more digits,
 * addresses, non-ASCII letters, and unknown capitalised words.
 * Names in lower case remain: the program's own messages contain none (STYLE §5).
 * Patterns match only from the start of a word or line: otherwise the time is quadratic.
 */
export function scrubMessage(message: string): string {
  return message
    .slice(0, 4 * MAX_MESSAGE)
    .replace(/(?<!\w)\w+:\/\/\S+/g, "[address]")
    .replace(/(?<![^\s"'`])[^\s"'`]+@[^\s"'`]+/g, "[address]")
    .replace(/(["'`])(?:(?!\1).)*\1?/gs, "[text]")
    .replace(/[^\x20-\x7e]+/g, "…")
    .replace(/(?<![\w.-])[\w.-]*\d{3,}[\w.-]*/g, "#")
    .replace(/(?<!\S)\S*\^\S*/g, "[name]")
    .replace(
      /\b[A-Z][\w-]*/g,
      (word, at: number) => at === 0 || NO_NAME.test(word) ? word : "[name]",
    )
    .slice(0, MAX_MESSAGE);
}

/** Keeps function, file, line and column of each stack frame, and removes all other text. */
export function scrubStack(stack: string): string[] {
  const frames = stack.matchAll(
    /^[\t ]*(?:at[\t ]+)?(?:async[\t ]+)?(?:([\w$.<>]+)(?:\s\(|@))?\S*?\/static\/build\/([\w.-]+\.js)(?:\?[^:)]*)?:(\d+):(\d+)\)?$/gm,
  );
  return [...frames.take(MAX_FRAMES)].map(([, name, file, line, column]) =>
    `${(name || "?").slice(0, 60)} ${file!.slice(0, 60)}:${line}:${column}`
  );
}

/** Type of the page in a report, without the parts of its address that identify a study. */
const scrubPage = (page: string): string =>
  /^\/(?:[a-z]+(?:\/\d+)?)?$/.test(page) ? page.replace(/\d+/, "#") : "[other]";

/** Limits the number of logged reports. */
export class CrashLimit {
  readonly #byAddress = new Map<string, number>();
  #all = 0;
  #until = 0;

  /**
   * Counts a crash report of an address.
   * @param now Monotonic clock, ms.
   * @returns whether the report is logged.
   */
  allows(address: string, now: number): boolean {
    if (now >= this.#until) {
      this.#byAddress.clear();
      this.#all = 0;
      this.#until = now + WINDOW_MS;
    }
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= MAX_PER_ADDRESS || this.#all >= MAX_PER_MINUTE) return false;
    this.#byAddress.set(address, count + 1);
    this.#all++;
    return true;
  }
}

const limit = new CrashLimit();

/** `POST /crashes`: logs one line. The response is always the same. */
export async function reportCrash(context: SiteContext): Promise<Response> {
  const nothing = () => new Response(null, { status: 204 });
  const address = networkOf(clientAddress(context) ?? "");
  if (!limit.allows(address, performance.now())) return nothing();
  let report: Record<string, unknown> | null;
  try {
    report = parsed(
      new TextDecoder().decode(
        await readBody(context.req.raw.body, { ...BODY_LIMITS, owner: address }),
      ),
    );
  } catch (error) {
    if (error instanceof AppError) return nothing();
    throw error;
  }
  if (report === null) return nothing();
  const textField = (key: string) => typeof report[key] === "string" ? report[key] : "";
  const where = textField("where");
  context.var.site.log("error", "A page crashed", {
    where: /^[A-Za-z]{1,40}$/.test(where) ? where : "[other]",
    page: scrubPage(textField("page")),
    reason: scrubMessage(textField("message")),
    stack: scrubStack(textField("stack")),
    request: context.var.requestId,
  });
  return nothing();
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}
