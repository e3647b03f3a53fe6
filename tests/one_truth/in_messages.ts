import { partName, sidedPartName } from "@/model/text/regions.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { observationResource } from "@/server/core/connections/service/fhir_resources.ts";
import { oruMessage } from "@/server/core/connections/service/messages.ts";
import { keyMeasures, regionMeasures } from "@/server/core/connections/service/reported_study.ts";
import type { Printed } from "@/tests/one_truth/figures.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

/** All figures in HL7 messages and FHIR resources, with the names and formats used there. */
export function inMessages({ results, flair }: Truth): Printed[] {
  const facts = {
    pid: 1,
    studyUid: "1.2",
    identity: {},
    status: "preliminary" as const,
    finishedAt: "2026-01-02T00:00:00Z",
  };
  const measures = keyMeasures(results, flair), regions = results ? regionMeasures(results) : [];
  const study = { ...facts, measures, regions, comment: [], pdf: new Uint8Array() };
  const quantityOf = (name: string) => {
    if (name === "Intracranial volume") return "ICV";
    if (name === "White matter hyperintensities") return "WMH";
    const region = REGIONS.find((one) => sidedPartName(one.part, one.hemisphere, "en") === name);
    if (!region) {
      // reports use other names for some parts than the table of parts
      const [words, side] = name.split(", ");
      return `${REGIONS.find(({ part }) => partName(part, "en") === words)?.part ?? words} ${side}`;
    }
    return `${region.part} ${{ L: "left", R: "right", "": "total" }[region.hemisphere]}`;
  };
  const sent = oruMessage(study, "SULCUS").split("\r").map((line) => line.split("|"))
    .filter(([kind, , type]) => kind === "OBX" && type === "NM");
  return [
    ...sent.map((field): Printed => [quantityOf(field[3]!.split("^")[0]!), "HL7", field[5]!]),
    ...[...measures, ...regions].map((measure): Printed => {
      const { valueQuantity } = observationResource(measure, study, "1", "Patient/1");
      return [
        quantityOf(measure.name),
        "FHIR",
        (valueQuantity as { value: number }).value.toFixed(2),
      ];
    }),
  ];
}
