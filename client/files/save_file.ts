import { fileNameOf } from "@/client/api/file_name.ts";

/** Time in which a browser has begun to read the file of a download. */
const RELEASE_MS = 60_000;

/** Starts the download of a file. */
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
