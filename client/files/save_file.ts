import { fileNameOf } from "@/client/api/file_name.ts";

/** Time after which a browser has started to read a downloaded file, ms. */
const RELEASE_MS = 60_000;

/** Starts a browser download of a file in memory. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content), link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS);
}

/** Saves a response as a file under the name in the response headers. @returns the file name. */
export async function saveResponse(response: Response): Promise<string> {
  const name = fileNameOf(response);
  saveFile(await response.blob(), name);
  return name;
}
