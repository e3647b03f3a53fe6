/** Content negotiation of DICOMweb (PS3.18 §8.3.3, §8.7; RFC 9110 §12.5.1). */
import { AppError } from "@/model/errors.ts";

interface MediaRange {
  type: string;
  parameters: Map<string, string>;
}

/** Splits an HTTP header at a separator, except inside quotes. */
const between = (text: string, separator: "," | ";"): string[] =>
  text.match(separator === "," ? /(?:"[^"]*"|[^",])+/g : /(?:"[^"]*"|[^";])+/g) ?? [];

/**
 * Media types that a client accepts. The query parameter `accept` replaces the header Accept
 * (PS3.18 §8.3.3.1). A client that sends neither of them accepts all types.
 */
function rangesOf(request: Request): MediaRange[] {
  const accept = new URL(request.url).searchParams.get("accept") ?? request.headers.get("accept") ??
    "";
  const ranges = between(accept.slice(0, 4000) || "*/*", ",").map((range) => {
    const [type = "", ...rest] = between(range, ";").map((part) => part.trim());
    const parameters = new Map(rest.map((one) => {
      const at = one.indexOf("=");
      return [
        one.slice(0, at).trim().toLowerCase(),
        one.slice(at + 1).trim().replace(/^"(.*)"$/, "$1"),
      ];
    }));
    return { type: type.toLowerCase(), parameters };
  });
  return ranges.filter(({ parameters }) => Number(parameters.get("q") ?? 1) > 0);
}

const isWithin = (type: string, range: string) =>
  range === "*/*" || range === type ||
  (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));

/**
 * Whether a client accepts a media type as a single part, or as `multipart/related`.
 * @param syntax Transfer syntax of the stored object, which is sent unchanged.
 * A client that names no transfer syntax in the request accepts every transfer syntax.
 * @throws {AppError} `media.not_acceptable` when the client accepts neither single nor multipart.
 */
export function formOf(request: Request, type: string, syntax?: string): "single" | "multipart" {
  for (const { type: range, parameters } of rangesOf(request)) {
    const wanted = parameters.get("transfer-syntax") ?? "*";
    if (syntax !== undefined && wanted !== "*" && wanted !== syntax) continue;
    // default of PS3.18: multipart, unless the client requests a single-part type
    if (range === "*/*" || range === "multipart/*") return "multipart";
    if (
      range === "multipart/related" &&
      isWithin(type, (parameters.get("type") ?? "*/*").toLowerCase())
    ) {
      return "multipart";
    }
    if (isWithin(type, range)) return "single";
  }
  throw new AppError(
    "media.not_acceptable",
    `Cannot answer: only ${type} ${syntax ?? ""} can be given`,
  );
}
