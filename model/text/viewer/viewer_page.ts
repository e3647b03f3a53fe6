import type { Catalogue } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

/** Messages on a page that cannot show the viewer. Rendered on the server only. */
export const viewerPageText = {
  noPatient: { en: "No patient information found.", ko: "환자 정보가 없습니다." },
  invalidPid: { en: "Invalid pid information.", ko: "검사 번호(pid)가 올바르지 않습니다." },
  notAnalyzed: refusalText.notAnalyzed,
  beingAnalyzed: {
    en: "The study is being analyzed. You can open the viewer when the analysis is complete.",
    ko: "검사를 분석하는 중입니다. 분석이 끝나면 뷰어를 열 수 있습니다.",
  },
  noData: refusalText.noViewerData,
  noImages: {
    en: "This study has no images that the viewer can show.",
    ko: "뷰어에 표시할 영상이 없는 검사입니다.",
  },
  noGrid: { en: "The images cannot be shown.", ko: "영상을 표시할 수 없습니다." },
  noGridWhy: {
    en:
      "The server and this page are different versions: the image orientation is missing, so left and right cannot be determined. Reload the page. If the problem persists, give the administrator this code: {call}",
    ko:
      "서버와 이 페이지의 버전이 달라 영상의 방향 정보가 없으므로 좌우를 판단할 수 없습니다. 페이지를 새로 고치고, 문제가 계속되면 관리자에게 알리세요({call}).",
  },
} as const satisfies Catalogue;
