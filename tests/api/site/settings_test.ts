// covers: D2-7.1
import assert from "node:assert/strict";
import { getReport } from "@/client/api/report/report.ts";
import {
  getAssessment,
  getSettings,
  getSettingsConfig,
  saveSettings,
} from "@/client/api/site/settings.ts";
import { saveMyPage } from "@/client/api/accounts/my_page.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { getPatient, uploadFiles } from "@/client/api/studies/patients.ts";
import type { Settings } from "@/model/schema/site/settings.ts";
import { OPINIONS } from "@/model/report/opinions.ts";
import { colleague, coreTest } from "@/tests/sites/core_site.ts";
import { type Acquisition, TIMING } from "@/server/commands/demo/phantom/acquisitions.ts";
import { namedSeries } from "@/server/commands/demo/phantom/dicom/named_series.ts";

type Change = (draft: Settings) => void;
/** A copy of the settings with a change. */
function changed(from: Settings, change: Change): Settings {
  const draft = structuredClone(from);
  change(draft);
  return draft;
}

// covers: D1-6.4, D1-7.8, D1-9.2
coreTest(
  "saveSettings() keeps everything, for the user and for the organisation, and tells whom it concerns",
  async ({ api, open, dataDir, events }) => {
    const other = await colleague(open, dataDir), start = await getSettings(api);
    assert.deepEqual(start.individual.general, {
      auto_analyze: true,
      division: 4,
      brain_part_list: [],
      expanded_part_list: ["all"],
    });
    assert.equal(start.individual.report.language, "en");
    const mine = changed(start, ({ individual }) => {
      individual.general = {
        auto_analyze: false,
        division: 3,
        brain_part_list: ["Hippocampus", "Insula"],
        expanded_part_list: ["all", "group/insula"],
      };
      individual.report = {
        language: "ko",
        anonymize: true,
        threshold_list: [1, 5, 5],
        page_list: { t1: [16], t2: [64, 128], t1t2: [1, 8, 1024] },
      };
      individual.report_result = [{ opinion_id: OPINIONS[0]!.id.ko, message: "소".repeat(350) }];
    });
    const saved = await saveSettings(api, mine, start.version);
    assert.deepEqual(saved.individual, mine.individual);
    assert.deepEqual(await getSettings(api), saved);
    assert.deepEqual(events.at(-1), {
      event: { event: "setting_update", scope: "individual", uid: 1 },
      audience: { uid: 1 },
    });
    assert.deepEqual((await getSettings(other)).individual, start.individual);

    const group = {
      bias_correction: false,
      second_opinion: false,
      deep_structures: false,
      dicom_encoding_id: 2,
      t1w_tag: "(0018,1030), SeriesDescription",
      t2w_tag: "Image Comments",
      t1w_includes: "anatomie, t1",
      t2w_includes: "",
    };
    await saveSettings(api, changed(saved, (draft) => draft.group.general = group), saved.version);
    assert.deepEqual((await getSettings(other)).group.general, group);
    assert.deepEqual(events.at(-1), {
      event: { event: "setting_update", scope: "group", uid: 1 },
      audience: {},
    });
    // saving unchanged settings sends no event
    const count = events.length, now = await getSettings(api);
    await saveSettings(api, now, now.version);
    assert.equal(events.length, count);
  },
);

// covers: D1-5.1, D1-9.1, D1-9.2
coreTest("saveSettings() refuses what breaks a rule and changes nothing", async ({ api }) => {
  const start = await getSettings(api);
  const refused: [string, Change][] = [
    ["division", ({ individual: { general } }) => general.division = 5 as 4],
    ["no such part", ({ individual: { general } }) => general.brain_part_list = ["Liver"]],
    [
      "a branch as part",
      ({ individual: { general } }) => general.brain_part_list = ["group/insula"],
    ],
    [
      "a part twice",
      ({ individual: { general } }) => general.brain_part_list = ["Insula", "Insula"],
    ],
    ["a part expanded", ({ individual: { general } }) => general.expanded_part_list = ["Insula"]],
    ["language", ({ individual: { report } }) => report.language = "xx" as "en"],
    ["no threshold", ({ individual: { report } }) => report.threshold_list = []],
    ["four thresholds", ({ individual: { report } }) => report.threshold_list = [1, 2, 3, 4]],
    ["threshold 0", ({ individual: { report } }) => report.threshold_list = [0]],
    ["threshold 101", ({ individual: { report } }) => report.threshold_list = [5, 101]],
    ["half a threshold", ({ individual: { report } }) => report.threshold_list = [5.5]],
    ["descending", ({ individual: { report } }) => report.threshold_list = [25, 5]],
    ["no page", ({ individual: { report } }) => report.page_list.t1 = []],
    ["8 with 16", ({ individual: { report } }) => report.page_list.t1t2 = [8, 16]],
    ["a T1w page for T2w", ({ individual: { report } }) => report.page_list.t2 = [1, 2]],
    ["the Main Page", ({ individual: { report } }) => report.page_list.t1 = [1, 4]],
    [
      "no such opinion",
      ({ individual }) => individual.report_result = [{ opinion_id: 1, message: "" }],
    ],
    [
      "351 letters",
      ({ individual }) => individual.report_result = [{ opinion_id: 11, message: "x".repeat(351) }],
    ],
    ["encoding", ({ group: { general } }) => general.dicom_encoding_id = 99],
    ["unknown tag", ({ group: { general } }) => general.t1w_tag = "(0010,0010)"],
  ];
  for (const [what, change] of refused) {
    await assert.rejects(
      saveSettings(api, changed(start, change)),
      { code: "input.invalid" },
      what,
    );
  }
  await assert.rejects(
    saveSettings(api, changed(start, ({ group }) => group.general.t2w_tag = "PatientName")),
    (error: { details?: { field?: string } }) => error.details?.field === "t2w_tag",
  );
  assert.deepEqual(await getSettings(api), start);
});

// covers: D1-6.5
coreTest(
  "saveSettings() from an outdated state is refused when a colleague has changed the organisation's",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir), start = await getSettings(api);
    const theirs = await getSettings(other);
    await saveSettings(
      other,
      changed(theirs, ({ group }) => group.general.dicom_encoding_id = 3),
      theirs.version,
    );
    const mine = changed(start, ({ individual }) => individual.general.division = 3);
    await assert.rejects(saveSettings(api, mine, start.version), { code: "settings.changed" });
    const now = await getSettings(api);
    assert.deepEqual([now.individual.general.division, now.group.general.dicom_encoding_id], [
      4,
      3,
    ]);
  },
);

// covers: D1-7.8, D1-9.3
coreTest(
  "getSettingsConfig() offers parts, languages, pages, opinions and encodings",
  async ({ api }) => {
    const config = await getSettingsConfig(api);
    assert.equal(config.brain_category[0]!.title, "All");
    assert.deepEqual(config.report_language_list.map(({ language }) => language), ["en", "ko"]);
    assert.deepEqual(config.report_page.map(({ code }) => code), [
      1,
      2,
      8,
      16,
      32,
      64,
      128,
      512,
      1024,
    ]);
    assert.deepEqual(config.report_page.find(({ code }) => code === 8)!.exclusive_with, [16]);
    assert.deepEqual(config.opinion[0]!.ko, { opinion_id: 12, message: OPINIONS[0]!.message.ko });
    assert.ok(config.dicom_encoding_list.length >= 10);
    await assert.rejects(getSettingsConfig({ ...api, token: undefined }), {
      code: "token.missing",
    });
  },
);

// covers: D1-3.1, D1-3.2
coreTest(
  "the stored DICOM Language reads names that tell no character set, and the tags choose the series",
  async ({ api }) => {
    const series: Acquisition = {
      name: "Serie A",
      protocol: "Kopf Anatomie",
      ...TIMING.protonDensity,
    };
    const start = await getSettings(api);
    const upload = async (study: number, bytes: number[]) =>
      await uploadFiles(api, namedSeries(series, study, { charset: null, bytes }));
    const nameOf = async (encodingId: number, study: number, name: number[]) => {
      await saveSettings(
        api,
        changed(start, ({ group: { general } }) => {
          general.dicom_encoding_id = encodingId;
          general.t1w_tag = "ProtocolName";
          general.t1w_includes = "anatomie";
        }),
      );
      const { pid_list: [pid] } = await upload(study, name);
      return (await getPatient(api, pid!)).patient_name;
    };
    const korean = [0xc8, 0xab, 0xb1, 0xe6, 0xb5, 0xbf], japanese = [0xd4, 0xcf, 0xc0, 0xde];
    assert.equal((await upload(1, korean)).success, 0);
    assert.equal(await nameOf(2, 2, korean), "홍길동");
    assert.equal(await nameOf(8, 3, japanese), "ﾔﾏﾀﾞ");
  },
);

// covers: D1-7.10
coreTest("getAssessment() and reports refuse a study that is not there", async ({ api }) => {
  await assert.rejects(getAssessment(api, 9), { code: "entity.not_found" });
  await assert.rejects(getReport(api, 9, {}), { code: "entity.not_found" });
});

// covers: D1-2.1
coreTest(
  "what Settings and My Page say stands in the report, unless something else is asked for",
  async ({ api, dataDir }) => {
    await addReported(dataDir, 1);
    const start = await getSettings(api), usual = await getReport(api, 1, {});
    assert.deepEqual([usual.language, usual.anonymized, usual.hospital_name, usual.logo_url], [
      "en",
      false,
      "",
      null,
    ]);
    const edits = OPINIONS.map(({ id }) => ({ opinion_id: id.ko, message: `소견 ${id.ko}` }));
    await saveSettings(
      api,
      changed(start, ({ individual }) => {
        individual.general.brain_part_list = ["Insula"];
        individual.report = {
          ...individual.report,
          language: "ko",
          anonymize: true,
          threshold_list: [3, 7],
        };
        individual.report.page_list.t1 = [1, 16];
        individual.report_result = edits;
      }),
    );
    const logo = new Blob([encodePng(new Uint8Array(3 * 60 * 24).fill(90), 60, 24)]);
    const { logo_url } = await saveMyPage(api, { name: "Kim", hospital_name: "한국병원", logo });
    const report = await getReport(api, 1, {});
    assert.deepEqual([
      report.language,
      report.anonymized,
      report.threshold_list,
      report.hospital_name,
    ], [
      "ko",
      true,
      [3, 7],
      "한국병원",
    ]);
    // the viewer uses the same thresholds as the report
    const { threshold_list, t1_result } = await getPatient(api, 1);
    assert.deepEqual(threshold_list, [3, 7]);
    assert.deepEqual(
      t1_result!.map(({ rank_icv_total }) => rank_icv_total),
      t1_result!.map(({ brain_regions }) =>
        report.regions.find((region) => region.brain_regions === brain_regions)!.rank_icv_total
      ),
    );
    assert.ok(logo_url !== null && report.logo_url === logo_url);
    assert.ok(
      [1, 16].every((code) => report.page_list.includes(code as 1)) &&
        !report.page_list.includes(8),
    );
    assert.doesNotMatch(JSON.stringify(report.patient), /Name 1|P-1/);
    assert.ok(
      edits.some(({ message }) => message === report.opinion.message),
      report.opinion.message,
    );
    const isInsula = ({ part_index }: { part_index: readonly number[] }) =>
      regionOf(part_index[0] ?? 0)?.part === "Insula";
    const count = usual.regions.filter(isInsula).length;
    assert.ok(count > 0 && !isInsula(usual.regions[0]!));
    assert.ok(report.regions.slice(0, count).every(isInsula));

    const asked = await getReport(api, 1, { language: "en", anonymize: "false", page_list: "1,8" });
    assert.deepEqual([asked.language, asked.anonymized, asked.page_list.includes(8)], [
      "en",
      false,
      true,
    ]);
  },
);
