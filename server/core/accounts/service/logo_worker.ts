/// <reference lib="deno.worker" />
// Worker that decodes an uploaded logo, so that untrusted bytes cannot block the server's thread.
import { AppError } from "@/model/errors.ts";
import { reencodeLogo } from "@/server/core/accounts/service/logo_pixels.ts";

/** PNG of the logo, or the code of the error why there is none. */
export type LogoAnswer = { png: Uint8Array<ArrayBuffer> } | {
  code: "logo.format" | "logo.too_large";
};

self.onmessage = ({ data }: MessageEvent<Uint8Array>) => {
  let answer: LogoAnswer;
  try {
    answer = { png: reencodeLogo(data) };
  } catch (error) {
    const isLarge = error instanceof AppError && error.code === "logo.too_large";
    answer = { code: isLarge ? "logo.too_large" : "logo.format" };
  }
  self.postMessage(answer, "png" in answer ? [answer.png.buffer] : []);
};
