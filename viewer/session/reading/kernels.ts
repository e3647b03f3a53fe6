import { readingModule } from "@/client/kernels/reading/client.ts";
import { startReading } from "@/viewer/reading/start.ts";

/** Fetches and starts the image work of reading. @throws {AppError} as `readingModule`. */
export async function openReading(): Promise<void> {
  startReading(await readingModule());
}
