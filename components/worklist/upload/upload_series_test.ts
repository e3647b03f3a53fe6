// covers: S-10, D1-3.2, D1-3.8, S-160
// Series of an examination: predicted by the page, judged by the server, reported by the upload.
import assert from "node:assert/strict";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import type { UploadProgress } from "@/model/worklist/upload_progress.ts";
import { LANGUAGES } from "@/model/text.ts";
import {
  foresee,
  isForeseenUnused,
  isPartly,
  otherKinds,
  seriesOutcomes,
} from "@/model/worklist/upload_verdict.ts";
import { studyReason } from "@/components/worklist/upload/failures.ts";
import type { Api } from "@/client/api/http.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { UploadQueue } from "@/components/worklist/upload/upload_queue.ts";
import { uploadToasts } from "@/components/worklist/upload/upload_outcome.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { sendOver, studiesOf } from "@/tests/sites/chosen_files.ts";
import { openData } from "@/server/core/mod.ts";
import { withCore } from "@/tests/sites/core_site.ts";

const EXAMINATION: Acquisition[] = [
  { name: "AAHead_Scout", ...TIMING.scout, slices: 3 },
  { name: "t1_mprage_sag", ...TIMING.mprage, slices: 39 },
  { name: "t1_mprage MIP", imageType: ["DERIVED", "SECONDARY", "MIP"], ...TIMING.mprage },
  { name: "t2_tse_tra", ...TIMING.t2 },
  { name: "t2_tirm_tra_dark-fluid", ...TIMING.flair },
  { name: "TOF_3D", ...TIMING.angiography },
];

const chosenOf = (acquisitions: readonly Acquisition[], study: number): ChosenFile[] =>
  acquisitions.flatMap((one, n) =>
    writeAcquisition(one, study, n + 1).map(({ fileName, bytes }) => (
      { path: fileName, file: new File([bytes], fileName) }
    ))
  );

Deno.test("each series of an examination is judged as it was foreseen, and its refusal is in the answer by name", () =>
  withCore(async ({ api, dataDir }) => {
    const chosen = chosenOf(EXAMINATION, 1), [study, ...others] = await studiesOf(chosen);
    assert.equal(others.length, 0);
    const foreseen = study!.series.map((one) => foresee(one, study!, DEFAULT_RULES).reason);
    assert.deepEqual(foreseen, [
      "localizer",
      "too_few_slices",
      "derived",
      "unclassified",
      null,
      "unclassified",
    ]);

    let last!: UploadProgress;
    const onChange = (progress: UploadProgress) => last = progress;
    const queue = new UploadQueue([study!], chosen, {
      api,
      send: sendOver(api),
      seriesType: "t1t2",
      onChange,
    });
    await queue.run();
    const [progress] = last.studies;
    assert.equal(progress!.stage, "stored");
    const outcomes = seriesOutcomes(progress!);
    const judged = study!.series.map(({ seriesUid }) => {
      const outcome = outcomes.find(({ series }) => series.seriesUid === seriesUid)!;
      return outcome.takenAs === null ? outcome.failure?.reason : null;
    });
    assert.deepEqual(judged, foreseen);
    assert.equal(isPartly(progress!), true, "the T1w is missing");
    assert.deepEqual(outcomes.map(({ series }) => series.description).slice(0, 2), [
      "t2_tirm_tra_dark-fluid",
      "t1_mprage_sag",
    ]);
    // one message, and its count says that a series is missing
    assert.deepEqual(uploadToasts(last.studies), [
      { code: "upload.partly", values: { success: 1, total: 1, count: 1 } },
    ]);

    // its timing is that of a T2w, so it is not offered as T1w, but used if it is sent as T1w
    const db = openData(dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    const t2 = outcomes.find(({ series }) => series.description === "t2_tse_tra")!;
    assert.deepEqual(otherKinds(t2, progress!.taken), []);
    queue.sendSeriesAs(0, t2.series.seriesUid, "t1");
    await queue.run();
    assert.deepEqual(last.studies.map(({ stage }) => stage), ["stored", "stored"]);
    assert.deepEqual(last.studies[1]!.taken, [
      { series_uid: t2.series.seriesUid, kind: "t1", slices: 50, sent_slices: 50 },
    ]);
    assert.deepEqual(last.studies[1]!.pids, progress!.pids);
    const stored = await db.selectFrom("series").select(["kind", "description"]).orderBy("kind")
      .execute();
    await db.destroy();
    assert.deepEqual(stored, [
      { kind: "t1", description: "t2_tse_tra" },
      { kind: "t2", description: "t2_tirm_tra_dark-fluid" },
    ]);
  }));

Deno.test("a study of one slice is foreseen to be of no use", async () => {
  const [study] = await studiesOf(
    chosenOf([{ name: "t1_mprage", ...TIMING.mprage, slices: 1 }], 2),
  );
  assert.equal(foresee(study!.series[0]!, study!, DEFAULT_RULES).reason, "too_few_slices");
});

type Slices = ReturnType<typeof writeAcquisition>;

/** A core that stores studies without analysing them: these tests read only upload responses. */
const withoutAnalyses = (body: (api: Api) => Promise<void>) =>
  withCore(async ({ api, dataDir }) => {
    const db = openData(dataDir);
    await db.insertInto("settings").values({ scope: "user:1", key: "auto_analyze", value: "false" })
      .execute();
    await db.destroy();
    await body(api);
  });

/** Uploads series of one study as the page does. */
async function outcomesOf(api: Api, all: readonly Slices[]) {
  const chosen = all.flat().map(({ fileName, bytes }) => (
    { path: fileName, file: new File([bytes], fileName) }
  ));
  const [study] = await studiesOf(chosen);
  const queue = new UploadQueue([study!], chosen, {
    api,
    send: sendOver(api),
    seriesType: "t1t2",
    onChange: () => {},
  });
  await queue.run();
  const [progress] = queue.progress.studies;
  assert.equal(progress!.stage, "stored");
  return { progress: progress!, outcomes: seriesOutcomes(progress!) };
}

const shown = ({ outcomes }: Awaited<ReturnType<typeof outcomesOf>>) =>
  outcomes.map(({ series, takenAs, failure, isMinor, instead }) => [
    series.description,
    takenAs ?? failure?.reason,
    ...isMinor ? ["minor"] : [],
    ...(failure?.details?.instead ?? instead) ? ["instead"] : [],
  ]);
const T1_GOOD: Acquisition = { name: "t1_mprage_sag", ...TIMING.mprage, stepMm: 1, slices: 60 };
const T1_SECOND: Acquisition = { name: "t1_fl3d_sag", ...TIMING.spgr, stepMm: 2, slices: 45 };
const FLAIR: Acquisition = { name: "t2_flair", ...TIMING.flair, slices: 25 };
const cut = ({ fileName, bytes }: Slices[0]) => (
  { fileName, bytes: bytes.slice(0, bytes.length - 400) }
);

/** A copy of a file in which the bytes after a tag and its VR are overwritten by `value`. */
function edited({ fileName, bytes }: Slices[0], tag: string, skip: number, value: string) {
  const copy = Buffer.from(bytes), at = copy.indexOf(tag, 132, "latin1");
  assert.ok(at > 0);
  copy.write(value, at + skip, "latin1");
  return { fileName, bytes: new Uint8Array(copy) };
}

/** A file with pixel values up to 680 that declares only 8 stored bits. */
function brightBeyondBits(file: Slices[0]) {
  const said = edited(edited(file, "\x28\0\x01\x01US", 8, "\x08"), "\x28\0\x02\x01US", 8, "\x07");
  const pixels = new DataView(said.bytes.buffer, said.bytes.length - 2 * 18 * 24);
  for (let i = 0; i < 18 * 24; i++) pixels.setUint16(2 * i, (i % 18) * 40, true);
  return said;
}

// damages of the best T1w series of a study, after which it cannot be used
const DAMAGES: [string, (slices: Slices) => Slices, string][] = [
  ["a slice is missing", (slices) => slices.toSpliced(30, 1), "missing_slice"],
  ["a file is cut off", (slices) => slices.with(30, cut(slices[30]!)), "missing_slice"],
  ["all files are cut off", (slices) => slices.map(cut), "truncated"],
  ["values above Bits Stored", (slices) => slices.map(brightBeyondBits), "bits_stored"],
  [
    "no image has a place",
    (slices) => slices.map((file) => edited(file, "\x20\0\x32\0DS", 2, "\x31")),
    "no_geometry",
  ],
  [
    "one SOP Instance UID for all",
    // overwrites digits after the prefix "2.25." and 18 more digits
    (slices) => slices.map((file) => edited(file, "\x08\0\x18\0UI", 8 + 20, "777")),
    "same_identifier",
  ],
];

Deno.test("a damaged T1w is named beside its study, and the series that is used instead", () =>
  withoutAnalyses(async (api) => {
    for (const [n, [name, damage, reason]] of DAMAGES.entries()) {
      const [study, other] = [20 + n, 40 + n];
      const both = await outcomesOf(api, [
        damage(writeAcquisition(T1_GOOD, study, 1)),
        writeAcquisition(T1_SECOND, study, 2),
      ]);
      assert.deepEqual(shown(both), [
        ["t1_fl3d_sag", "t1"],
        ["t1_mprage_sag", reason, "instead"],
      ], name);
      assert.equal(isPartly(both.progress), true, name);
      assert.ok(both.progress.failures.every(({ series }) => series?.series_uid), name);
      assert.ok(both.outcomes.every(({ kind }) => kind === "t1"), name);

      const flair = await outcomesOf(api, [
        damage(writeAcquisition(T1_GOOD, other, 1)),
        writeAcquisition(FLAIR, other, 2),
      ]);
      assert.deepEqual(shown(flair), [["t2_flair", "t2"], ["t1_mprage_sag", reason]], name);
      assert.equal(isPartly(flair.progress), true, name);
      assert.equal(flair.outcomes[1]!.kind, "t1", name);
      assert.match(flair.outcomes[1]!.failure!.series!.patient, /Phantom/, name);
    }
  }));

Deno.test("a damaged T1w of few slices beside a whole one is no loss, and a lost file of a used one is named", () =>
  withoutAnalyses(async (api) => {
    const few = { ...T1_GOOD, name: "t1_se", slices: 45, stepMm: 3 };
    const minor = await outcomesOf(api, [
      writeAcquisition(few, 70, 1).toSpliced(20, 1),
      writeAcquisition(T1_GOOD, 70, 2),
    ]);
    assert.deepEqual(shown(minor), [["t1_mprage_sag", "t1"], ["t1_se", "missing_slice", "minor"]]);
    assert.equal(isPartly(minor.progress), false);

    const slices = writeAcquisition(T1_GOOD, 71, 1);
    const ended = await outcomesOf(api, [slices.with(-1, cut(slices.at(-1)!))]);
    assert.deepEqual(shown(ended), [["t1_mprage_sag", "t1"]]);
    assert.deepEqual(ended.outcomes[0]!.lost.map(({ reason }) => reason), ["truncated"]);
    assert.equal(isPartly(ended.progress), true);
  }));

Deno.test("of a series of two images the slices of the one that is used are counted", () =>
  withoutAnalyses(async (api) => {
    const one = writeAcquisition({ ...T1_GOOD, slices: 50 }, 80, 1);
    const turned: Acquisition = {
      ...T1_GOOD,
      slices: 100,
      attributes: [[0x00200037, "DS", ["1", "0", "0", "0", "0", "-1"]]],
    };
    const other = writeAcquisition(turned, 80, 1).slice(50);
    const { outcomes: [outcome], progress } = await outcomesOf(api, [one, other]);
    assert.equal(outcome!.takenAs, "t1");
    assert.deepEqual([outcome!.usedSlices, outcome!.slices], [50, 100]);
    assert.equal(isPartly(progress), false);
  }));

Deno.test("copies of files are sent once, and different files of one identifier all", async () => {
  const slices = writeAcquisition(T1_GOOD, 90, 1);
  const chosen = [...slices, ...slices].map(({ fileName, bytes }, n) => (
    { path: `${n}/${fileName}`, file: new File([bytes], fileName) }
  ));
  const [study] = await studiesOf(chosen);
  assert.equal(study!.files.length, 60);
});

/** Attributes of another patient. */
const foreign: Acquisition["attributes"] = [
  [0x00100010, "PN", "Other^Person"],
  [0x00100020, "LO", "OTHER-7"],
];

Deno.test("files of two patients in one study or series: both are named before and after sending, and none is preselected", () =>
  withoutAnalyses(async (api) => {
    const own = writeAcquisition(T1_GOOD, 91, 1);
    const mixes: [string, Slices, number, number][] = [
      [
        "a series of each",
        [
          ...own,
          ...writeAcquisition({ ...FLAIR, attributes: foreign }, 91, 2),
        ],
        60,
        25,
      ],
      [
        "three slices in one series",
        own.toSpliced(
          20,
          3,
          ...writeAcquisition({ ...T1_GOOD, attributes: foreign }, 91, 1).slice(20, 23),
        ),
        57,
        3,
      ],
    ];
    for (const [name, slices, first, second] of mixes) {
      const chosen = slices.map(({ fileName, bytes }, n) => (
        { path: `${n}/${fileName}`, file: new File([bytes], fileName) }
      ));
      const [study] = await studiesOf(chosen);
      assert.deepEqual(study!.patients!.map(({ patientId, slices }) => [patientId, slices]), [
        ["SERIES-91", first],
        ["OTHER-7", second],
      ], name);
      assert.ok(isForeseenUnused(study!, DEFAULT_RULES), name);

      const queue = new UploadQueue([study!], chosen, {
        api,
        send: sendOver(api),
        seriesType: "t1t2",
        onChange: () => {},
      });
      await queue.run();
      const [progress] = queue.progress.studies;
      assert.equal(progress!.stage, "refused", name);
      assert.ok(progress!.failures.every(({ reason }) => reason === "mixed_patients"), name);
      for (const language of LANGUAGES) {
        const said = studyReason(progress!, language)!;
        for (
          const part of [
            /Phantom/,
            /Other/,
            /SERIES-91/,
            /OTHER-7/,
            RegExp(`\\b${first}`),
            RegExp(`\\b${second}`),
          ]
        ) {
          assert.match(said, part, name);
        }
      }
    }
  }));

Deno.test("a localizer under the UID of a series is left out of it, and is no loss", () =>
  withoutAnalyses(async (api) => {
    for (const [n, turned] of [[0, false], [1, true]] as const) {
      const localizer = writeAcquisition(
        {
          ...T1_GOOD,
          ...TIMING.scout,
          slices: 9,
          stepMm: 13,
          ...turned ? { attributes: [[0x00200037, "DS", ["0", "1", "0", "0", "0", "-1"]]] } : {},
        },
        92 + n,
        1,
      ).map((file, k) => edited(file, "\x08\0\x18\0UI", 8 + 5, `${70 + k}`));
      const { outcomes: [outcome], progress } = await outcomesOf(api, [
        localizer,
        writeAcquisition(T1_GOOD, 92 + n, 1),
      ]);
      assert.deepEqual([outcome!.takenAs, outcome!.usedSlices, outcome!.slices], ["t1", 60, 69]);
      assert.deepEqual([...new Set(progress.failures.map(({ reason }) => reason))], [
        "other_acquisition",
      ]);
      assert.equal(isPartly(progress), false);
    }
  }));
