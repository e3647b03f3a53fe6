import type { Catalogue } from "@/model/text.ts";

/** The page that measures the image kernels in the visitor's browser. */
export const benchText = {
  title: { en: "Speed of this computer", ko: "이 컴퓨터의 속도" },
  lead: {
    en:
      "Measures the image kernels in this browser, each against the same work in plain JavaScript. It takes a few seconds. Close other programs for figures that can be compared.",
    ko:
      "영상을 그리는 프로그램의 속도를 이 브라우저에서 측정하고, 같은 작업을 하는 일반 자바스크립트와 비교합니다. 몇 초 정도 걸립니다. 다른 컴퓨터와 비교하려면 다른 프로그램을 닫고 측정하세요.",
  },
  run: { en: "Measure", ko: "측정" },
  runAgain: { en: "Measure Again", ko: "다시 측정" },
  running: { en: "Measuring {done} of {total}…", ko: "{total}개 중 {done}개 측정 중…" },
  done: {
    en: "Done: {right} of {total} results correct.",
    ko: "측정 완료: 결과 {total}개 중 {right}개 일치.",
  },
  case: { en: "Work", ko: "작업" },
  kernel: { en: "Kernel (ms)", ko: "커널 (ms)" },
  plain: { en: "Plain JavaScript (ms)", ko: "일반 자바스크립트 (ms)" },
  times: { en: "Times faster", ko: "속도 비율" },
  answer: { en: "Answer", ko: "결과" },
  right: { en: "Correct", ko: "일치" },
  wrong: { en: "Incorrect", ko: "불일치" },
  faster: { en: "{times} ×", ko: "{times}배" },
  axial: { en: "Axial pane of 512 × 512 with overlay", ko: "축상면 512 × 512, 오버레이 포함" },
  coronal: { en: "Coronal pane of 512 × 512 with overlay", ko: "관상면 512 × 512, 오버레이 포함" },
  sagittal: { en: "Sagittal pane of 512 × 512 with overlay", ko: "시상면 512 × 512, 오버레이 포함" },
  threshold: { en: "Mask of 4.9 million voxels by percentile", ko: "백분위수에 따른 490만 복셀 마스크" },
  slice: { en: "Sagittal slice of 192 × 160 voxels", ko: "시상면 슬라이스 192 × 160 복셀" },
  decode: { en: "Reading a file of 128³ 16-bit voxels", ko: "16비트 128³ 복셀 파일 읽기" },
  rasterise: { en: "Surface of 81,920 triangles, 640 × 480", ko: "삼각형 81,920개 표면, 640 × 480" },
  copy: { en: "Copy as JSON", ko: "JSON 복사" },
  download: { en: "Download JSON", ko: "JSON 내려받기" },
} as const satisfies Catalogue;
