import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";

/** A stored engine version as printed on every page: "Sulcus engine 1.2.3". */
export function engineName(version: string, language: Language): string {
  const [, number, network] =
    /^(?:sulcus-engine )?(\S+)(?: with deep structures (.*))?/.exec(version) ?? [];
  const engine = textIn(reportText.engine, language, { version: number ?? version });
  return network === undefined ? engine : textIn(reportText.engineWithNetwork, language, {
    engine,
    network: network.split(" ").at(-1)!,
  });
}
