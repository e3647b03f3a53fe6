// Text for the reason of a failed retrieval from the archive; loaded after a failure.
import { useLanguage } from "@/client/page/language.ts";
import { failureWords } from "@/client/tray/failure_words.ts";

export default function PullFailure({ failure }: { failure: { failure: string; text: string } }) {
  return <p className="mt-1 text-red-700 break-words">{failureWords(failure, useLanguage())}</p>;
}
