import { fileNameOf } from "@/client/api/file_name.ts";

/** Saves a response as a file under the name in its headers. @returns the file name. */
export async function saveResponse(response: Response): Promise<string> {
  const url = URL.createObjectURL(await response.blob()), link = document.createElement("a");
  link.href = url;
  link.download = fileNameOf(response);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return link.download;
}
