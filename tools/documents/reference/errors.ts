// Page about the error codes, generated from model/errors.ts and the texts shown to users.
import { type ErrorCode, ERRORS } from "@/model/errors.ts";
import { errorText } from "@/model/text/errors.ts";

/** Page about the error codes as Markdown. */
export function errorsPage(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { status, retryable } = ERRORS[code];
    const text = errorText[code].en.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
    return `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${text} |`;
  });
  return `# Error codes

Made from \`model/errors.ts\`. An error is answered as problem details (RFC 9457) with \`code\`, \`details\` and \`request_id\`; the log has the same
\`request_id\` as \`trace\`. **Again**: the same call may succeed later. Words in braces are filled in.

| Code | HTTP | Again | What the user reads |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
