// covers: D1-4.35, D1-5.3, D1-8.23, D2-2.16, D2-3.8, D2-8.1
// Sentences that the hospital's documents prescribe exactly: catalogues must not change them.
import assert from "node:assert/strict";
import { messageOf } from "@/client/notices/messages.ts";
import { type ErrorCode, ERRORS } from "@/model/errors.ts";
import { type Catalogue, type Language, LANGUAGES } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { aboutText } from "@/model/text/account/about.ts";
import { analysisReasonText } from "@/model/text/analysis.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { reportPrintText } from "@/model/text/report/report_print.ts";
import { licenseText } from "@/model/text/account/license.ts";
import { licenseStatusText } from "@/model/text/account/license_status.ts";
import { loginText } from "@/model/text/account/login.ts";
import { myPageText } from "@/model/text/settings/my_page.ts";
import { pagesText } from "@/model/text/pages.ts";
import { REGION_GROUP_TEXT, regionText } from "@/model/text/regions.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { qualityText, qualityWarningText } from "@/model/text/quality.ts";
import { reportText, reportViewerText } from "@/model/text/report/report.ts";
import { checkupPageText } from "@/model/text/report/pages/checkup.ts";
import { coverPageText } from "@/model/text/report/pages/cover.ts";
import { icvPageText } from "@/model/text/report/pages/icv.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { mtaPageText } from "@/model/text/report/pages/mta.ts";
import { regionsPageText } from "@/model/text/report/pages/regions.ts";
import { scorePageText } from "@/model/text/report/pages/score.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";
import { readingText } from "@/model/text/report/pages/reading.ts";
import { sessionText } from "@/model/text/account/session.ts";
import { pageTitle, reportPageText } from "@/model/text/report/report_page_names.ts";
import { encodingText, settingsText } from "@/model/text/settings/settings.ts";
import { modalText, modalTitle } from "@/model/text/modals.ts";
import { toastText } from "@/model/text/toasts.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { uploadReasonText } from "@/model/text/worklist/upload.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";
import { viewerHelpText } from "@/model/text/viewer/viewer_help.ts";
import { analysisFailedText } from "@/model/text/analysis_failed.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { worklistKeysText } from "@/model/text/worklist/worklist_keys.ts";

const EXACT: [{ en: string }, string][] = [
  [pageTitle[4], "Main Page"],
  [pagesText.forbidden, "Unable to access the page."],
  [pagesText.goLogin, "Go to Login"],
  [pagesText.notFound, "Page does not exist."],
  [pagesText.goHomepage, "Go to Homepage"],
  [pagesText.errorHappened, "An error has occurred."],
  [commonText.goHome, "Go to Home"],
  [viewerText.goHome, "Go to Home"],
  [commonText.completed, "Completed"],
  [commonText.failed, "Failed"],
  [commonText.updated, "Updated"],
  [commonText.warning, "Warning"],
  [loginText.forgotPassword, "Forgot Password"],
  [
    modalText["login.forgot_password"].text,
    "Please contact the hospital administrator to retrieve your password.",
  ],
  [toastText["login.check_email"].text, "Please check your Email."],
  [toastText["login.check_password"].text, "Please check your password."],
  [sessionText.signOut, "Sign Out"],
  [modalText["session.sign_out"].text, "Are you sure you want to sign out?"],
  [modalTitle["token.expired"]!, "Session Timeout"],
  [modalTitle["token.revoked"]!, "Multi Login"],
  [toastText["token.refresh_failed"].text, "There seems to be an issue with the refresh token."],
  [licenseText.expiredTitle, "License Expired"],
  [licenseText.expiredDemo, "Your license is expired."],
  [licenseText.noCreditTitle, "No Remaining Credits"],
  [licenseText.notStarted, "Can be used after {date}."],
  [analysisFailedText.bothFailed, "T1w, T2w Analysis failed."],
  [analysisFailedText.t1Failed, "T1w Analysis failed."],
  [analysisFailedText.t2Failed, "T2w Analysis failed."],
  [worklistText.blockedViewer, "Failed to enter viewer. Please analyze first."],
  [toastText["analysis.some_failed"].text, "Some of the selected data have failed to analyze."],
  [toastText["export.csv_failed"].text, "CSV export failed."],
  [toastText["print.canceled"].text, "printing canceled"],
  [toastText["print.failed"].text, "Sever Error occured."],
  [patientEditText.tooLong, "Cannot exceed {maxLength} characters."],
  [patientEditText.required, "Please input character."],
  [modalText["edit.reanalyze"].title, "Edit analyzed info"],
  [patientEditText.checkStudy, "study date"],
  [patientEditText.checkBirth, "birth date"],
  [patientEditText.checkSex, "sex"],
  [patientEditText.checkAge, "age"],
  [aboutText.manual, "User Manual"],
  [aboutText.terms, "Terms and Conditions"],
  [aboutText.openSource, "Open Source License"],
  [myPageText.required, "Please input character."],
  [toastText["settings.updated"].text, "Information has been updated."],
  [toastText["settings.failed"].text, "Failed to update your information. Please try again."],
  [settingsText.thresholdOrder, "Threshold values must be set in ascending order."],
  [settingsText.onePage, "Please select at least one page."],
  [settingsText.tooLong, "Cannot exceed {maxLength} characters."],
  [settingsText.autoAnalyze, "Upload & Analyze"],
  [settingsText.priority, "Priority of Brain Part"],
  [toastText["upload.being_analyzed"].text, "{errorPID} is being analyzed."],
  [toastText["upload.some"].text, "{success} / {total} uploaded"],
  [refusalText.noFile, "There is no selected file."],
  [viewerPageText.noPatient, "No patient information found."],
  [viewerPageText.invalidPid, "Invalid pid information."],
  [viewerText.notAnalyzed, "Failed to enter viewer. Please analyze first."],
  [
    viewerPageText.noData,
    "There are no data available to generate the viewer. Please analyze the file first",
  ],
  [viewerText.loadFailedSession, "Your session has expired. Please login again."],
  [viewerText.parcellation, "Parcellation"],
  [viewerText.corticalThickness, "Cortical Thickness"],
  [viewerText.wmh, "WMH"],
  [reportViewerText.noPatient, "No patient information found."],
  [reportViewerText.invalidPid, "Invalid pid information."],
];

const EXACT_ERRORS: [ErrorCode, string][] = [
  ["auth.invalid", "Email or password do not match."],
  ["auth.too_many_attempts", "Restricting login attempts. Please try again after a short while."],
  ["auth.ip_denied", "Unauthorized IP address."],
  ["auth.waiting_approval", "Waiting for approval."],
  ["auth.device_account", "This is a device account, not a user account."],
  ["auth.suspended", "This account has been suspended."],
  ["auth.not_found", "This account cannot be found."],
  ["token.expired", "Your session has expired. Please login again."],
  ["token.revoked", "New Login Location Detected. You have been automatically logged out."],
  ["access.forbidden", "Unable to access the page."],
  ["entity.not_found", "No patient information found."],
  ["label.duplicate", "Labels must not be duplicated!"],
  ["filter.duplicate_name", "Filter name is duplicated."],
  ["study.duplicate", "Duplicate data exist."],
  ["study.not_analyzed", "Failed to enter viewer. Please analyze first."],
  [
    "report.too_few_longitudinal",
    "Please check the number of data. (At least 2 data are required for Longitudinal page)",
  ],
  ["password.incorrect", "The current password don't match."],
  ["internal", "An error occurred in server."],
];

const CATALOGUES: Record<string, Catalogue> = {
  commonText,
  analysisReasonText,
  excelText,
  licenseText,
  licenseStatusText,
  loginText,
  pagesText,
  patientEditText,
  regionText,
  reportPrintText,
  reportText,
  reportViewerText,
  qualityText,
  qualityWarningText,
  sessionText,
  settingsText,
  aboutText,
  myPageText,
  reportPageText,
  pageTitle,
  checkupPageText,
  coverPageText,
  icvPageText,
  longitudinalPageText,
  mtaPageText,
  regionsPageText,
  scorePageText,
  wmhPageText,
  readingText,
  encodingText,
  uploadReasonText,
  refusalText,
  uploadDialogText,
  REGION_GROUP_TEXT,
  viewerText,
  viewerPageText,
  viewerHelpText,
  worklistText,
  worklistKeysText,
};

// covers: D1-8.24
Deno.test("catalogues keep the documents' sentences to the letter", () => {
  for (const [text, words] of EXACT) assert.equal(text.en, words);
});

Deno.test("messageOf() keeps the documents' sentences to the letter", () => {
  for (const [code, words] of EXACT_ERRORS) assert.equal(messageOf(code, {}, "en"), words);
});

Deno.test("every error says something of its own in both languages", () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const [en, ko] = LANGUAGES.map((language) => messageOf(code, {}, language));
    assert.ok(en && ko && /[가-힣]/.test(ko) && !/[가-힣]/.test(en), code);
  }
});

Deno.test("catalogues fill in the same values in both languages", () => {
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join();
  for (const [name, catalogue] of Object.entries(CATALOGUES)) {
    for (const [key, text] of Object.entries(catalogue) as [string, Record<Language, string>][]) {
      assert.equal(values(text.ko), values(text.en), `${name}.${key}`);
    }
  }
});

Deno.test("Korean uses one word for one thing on every page", () => {
  const refused =
    /보고서|작업 목록|환자 목록|내려받|겉질|백색질|가쪽뇌실|영역 구분|두개내용적|두개강 내/;
  for (const [name, catalogue] of Object.entries(CATALOGUES)) {
    for (const [key, text] of Object.entries(catalogue)) {
      assert.ok(!refused.test(text.ko), `${name}.${key}: ${text.ko}`);
    }
  }
  assert.equal(worklistText.title.ko, reportViewerText.worklist.ko);
  assert.equal(worklistText.title.ko, viewerText.worklist.ko);
  assert.equal(worklistText.report.ko, viewerText.report.ko);
  assert.equal(worklistText.blockedViewer.ko, viewerText.notAnalyzed.ko);
  assert.equal(viewerPageText.noPatient.ko, reportViewerText.noPatient.ko);
});
