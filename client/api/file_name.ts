/** File name in the Content-Disposition header of a response (RFC 6266, RFC 8187). */
export function fileNameOf(response: Response): string {
  const header = response.headers.get("content-disposition") ?? "";
  const exact = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
  return exact ? decodeURIComponent(exact) : /filename="([^"]+)"/.exec(header)?.[1] ?? "report.pdf";
}
