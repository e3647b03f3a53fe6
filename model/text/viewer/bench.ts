import type { Catalogue } from "@/model/text.ts";

/** Texts of the page that measures the speed of image kernels in the visitor's browser. */
export const benchText = {
  title: { en: "Speed of this computer", ko: "이 컴퓨터의 속도" },
  lead: {
    en:
      "This page measures how fast the image kernels run in this browser and compares each with the same task in plain JavaScript. The measurement takes a few seconds. Close other programs to get comparable results.",
    ko:
      "영상 처리 커널의 속도를 이 브라우저에서 측정하여, 같은 작업을 하는 일반 자바스크립트와 비교합니다. 몇 초 정도 걸립니다. 다른 컴퓨터와 비교하려면 다른 프로그램을 닫고 측정하세요.",
  },
  run: { en: "Measure", ko: "측정" },
  runAgain: { en: "Measure again", ko: "다시 측정" },
  running: { en: "Measuring {done} of {total}…", ko: "{total}개 중 {done}개 측정 중…" },
  done: {
    en: "Done: {right} of {total} results correct.",
    ko: "측정 완료: 결과 {total}개 중 {right}개 일치.",
  },
  case: { en: "Task", ko: "작업" },
  kernel: { en: "Kernel (ms)", ko: "커널(ms)" },
  plain: { en: "Plain JavaScript (ms)", ko: "일반 자바스크립트(ms)" },
  times: { en: "Speed ratio", ko: "속도 비율" },
  roof: { en: "Share of memory bandwidth", ko: "메모리 대역폭 대비" },
  roofMeans: {
    en:
      "Share of memory bandwidth: the minimum amount of data that a kernel must move per second, as a percentage of the speed of a plain copy in this browser ({rate}\u00a0GB/s). A kernel near 100\u00a0% cannot run any faster; above 100\u00a0%, its data fit in the processor's cache. Surface rendering is limited by computing speed, not by memory.",
    ko:
      "메모리 대역폭 대비: 커널이 초당 최소한으로 옮겨야 하는 데이터양이 이 브라우저의 단순 복사 속도({rate}\u00a0GB/s)에서 차지하는 비율입니다. 100\u00a0%에 가까우면 더 빨라질 여지가 없고, 100\u00a0%를 넘으면 데이터가 프로세서 캐시에 들어간 것입니다. 표면 그리기의 속도는 메모리가 아니라 연산 속도에 좌우됩니다.",
  },
  source: { en: "Source code", ko: "소스 코드" },
  sourceOf: { en: "Source code of {name}", ko: "소스 코드: {name}" },
  compare: { en: "Compare with files…", ko: "파일과 비교…" },
  machines: { en: "Compared computers", ko: "컴퓨터 비교" },
  machinesLead: {
    en: "Time taken by each kernel: shorter bars are faster. Each group of bars has its own scale.",
    ko: "커널별 소요 시간이며, 막대가 짧을수록 빠릅니다. 막대의 눈금은 항목마다 다릅니다.",
  },
  copyRate: { en: "memory {rate}\u00a0GB/s", ko: "메모리 {rate}\u00a0GB/s" },
  removeMachine: { en: "Remove {name} from the comparison", ko: "비교에서 {name} 제거" },
  thisComputer: { en: "This computer ({browser}, {cores})", ko: "이 컴퓨터({browser}, {cores})" },
  notRead: {
    en:
      "These files do not contain results from this page: {names}. Choose files saved with “Download JSON”.",
    ko: "이 페이지의 측정 결과가 아닌 파일: {names}. ‘JSON 다운로드’로 저장한 파일을 선택하세요.",
  },
  tooMany: {
    en: "At most {count} computers can be compared.",
    ko: "컴퓨터는 최대 {count}대까지 비교할 수 있습니다.",
  },
  answer: { en: "Result", ko: "결과" },
  right: { en: "Correct", ko: "일치" },
  wrong: { en: "Incorrect", ko: "불일치" },
  faster: { en: "{times} ×", ko: "{times}배" },
  /** 95 % confidence interval of the speed ratio */
  fasterInterval: { en: "{low} to {high}", ko: "{low}~{high}" },
  noisy: { en: "too variable: measure again", ko: "변동이 큼: 다시 측정하세요" },
  noisyDone: {
    en:
      "{count} {count|task was|tasks were} affected by other programs. Close them and measure again.",
    ko: "작업 {count}개가 다른 프로그램의 영향을 받았습니다. 다른 프로그램을 닫고 다시 측정하세요.",
  },
  timesMean: {
    en:
      "Both versions are timed in alternating rounds. Times are medians; the range below the speed ratio is its 95\u00a0% interval. If the interval is wider than one fifth of the ratio, no ratio is given.",
    ko:
      "두 방식을 번갈아 측정합니다. 시간은 중앙값이며, 속도 비율 아래의 범위는 95 % 신뢰구간입니다. 구간의 너비가 비율의 1/5을 넘으면 비율을 표시하지 않습니다.",
  },
  /** ratio of a computer's time to that of the first computer, with its 95 % interval */
  slowerThan: {
    en: "{times} × the time of the first computer ({low} to {high})",
    ko: "첫 번째 컴퓨터 대비 소요 시간 {times}배({low}~{high})",
  },
  asFastAs: {
    en: "No measurable difference from the first computer ({low} to {high} ×)",
    ko: "첫 번째 컴퓨터와 차이가 확인되지 않음({low}~{high}배)",
  },
  otherInputs: {
    en: "Not comparable: measured with a different image or pane size",
    ko: "다른 영상이나 다른 크기로 측정하여 비교할 수 없음",
  },
  pane: { en: "Pane size", ko: "화면 크기" },
  paneSide: { en: "{pane}\u00a0×\u00a0{pane} pixels", ko: "{pane}\u00a0×\u00a0{pane} 픽셀" },
  data: { en: "Image used", ko: "측정용 영상" },
  generated: { en: "generated image", ko: "생성된 영상" },
  /** name of a user's image file, with the shape and bit depth of its volume */
  ownFile: { en: "{name} ({shape}, {bits} bits)", ko: "{name}({shape}, {bits}비트)" },
  chooseOwn: { en: "Use your own image…", ko: "다른 영상 선택…" },
  useGenerated: { en: "Use the generated image", ko: "생성된 영상 사용" },
  ownLead: {
    en:
      "Choose a NumPy or NIfTI file, or drop it here. It stays in this browser, and its name is not saved with the results.",
    ko:
      "NumPy 또는 NIfTI 파일을 이곳에 끌어다 놓아도 됩니다. 파일은 이 브라우저 밖으로 전송되지 않으며, 파일 이름은 결과에 저장되지 않습니다.",
  },
  ownRefused: {
    en:
      "This file cannot be measured: {name}. Choose one NumPy or NIfTI-1 volume of at most 67 million voxels.",
    ko:
      "측정할 수 없는 파일: {name}. 복셀이 6,700만 개 이하인 NumPy 또는 NIfTI-1 볼륨 하나를 선택하세요.",
  },
  axial: {
    en: "Axial pane, {pane}\u00a0×\u00a0{pane} pixels, with overlay",
    ko: "축상면 {pane}\u00a0×\u00a0{pane}, 오버레이 포함",
  },
  coronal: {
    en: "Coronal pane, {pane}\u00a0×\u00a0{pane} pixels, with overlay",
    ko: "관상면 {pane}\u00a0×\u00a0{pane}, 오버레이 포함",
  },
  sagittal: {
    en: "Sagittal pane, {pane}\u00a0×\u00a0{pane} pixels, with overlay",
    ko: "시상면 {pane}\u00a0×\u00a0{pane}, 오버레이 포함",
  },
  slice: {
    en: "Sagittal slice of {ny}\u00a0×\u00a0{nz} voxels",
    ko: "시상면 슬라이스 {ny}\u00a0×\u00a0{nz} 복셀",
  },
  decode: {
    en: "Reading a file with {file} voxels of {bits} bits each",
    ko: "{bits}비트 {file} 복셀 파일 읽기",
  },
  rasterise: {
    en: "Surface of 81,920 triangles, 640\u00a0×\u00a0480 pixels",
    ko: "삼각형 81,920개로 된 표면, 640\u00a0×\u00a0480",
  },
  copy: { en: "Copy as JSON", ko: "JSON 복사" },
  download: { en: "Download JSON", ko: "JSON 다운로드" },
} as const satisfies Catalogue;
