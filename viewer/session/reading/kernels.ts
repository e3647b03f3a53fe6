import { readingModule } from "@/client/kernels/reading/client.ts";
import { startReading } from "@/viewer/reading/start.ts";

/** Loads and initialises the reading kernels. @throws {AppError} as `readingModule`. */
export async function openReading(): Promise<void> {
  startReading(await readingModule());
}
