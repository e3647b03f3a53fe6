// Words that tests expect although no text, document or code of the product contains them.

/** `file “words”` by the reason. */
export const EXPECTED_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "message of another program": [
    "report/pdf/pdf_binder_test.ts “No syntax or stream encoding errors”",
    "report/pdf/pdf_test.ts “yes yes yes”",
    "server/core/dicom/worker/reader_test.ts “read access”",
    "tests/api/connections/fhir_test.ts “Missing property”",
    "tests/e2e/firefox.ts “WebDriver BiDi listening on”",
    "tests/e2e/settings/settings_test.ts “status of”",
    "tests/e2e/worklist/two_browsers.ts “status of”",
    "tests/html_test.ts “attribute must”",
    "tests/html_test.ts “element with a”",
    "tests/release/release_test.ts “Overall exposure level for”",
  ],
  "texts side by side, such as a state and its button, or a label and its value": [
    "components/page/document_text_test.tsx “and ADR”",
    "components/worklist/upload/upload_progress_test.tsx “Canceled Retry”",
    "components/worklist/upload/upload_progress_test.tsx “Failed No room”",
    "components/worklist/upload/upload_progress_test.tsx “Waiting Cancel”",
    "model/site/document_test.ts “bold code”",
    "server/commands/admin/admin_test.ts “Label CE rev”",
    "server/commands/operate/mail_test.ts “EHLO localhostr”",
    "server/core/connections/service/messages_test.ts “AE unknown patient ERR”",
    "server/core/dicom/read/nifti_test.ts “qform RAS”",
    "server/core/dicom/read/nifti_test.ts “sform LAS”",
    "tests/release/release_test.ts “Database SQLite”",
    "tools/lint_layers_test.ts “viewer may not import components”",
  ],
  "level and message of a log line": [
    "server/core/connections/service/inbox/inbox_test.ts “error Cannot look through the inbox”",
    "server/edge/web/tls/tls_server_test.ts “info Renewed the certificate”",
    "server/edge/web/tls/tls_server_test.ts “warn Going on with the certificate before”",
  ],
  "name or header value that the test puts into another form": [
    "model/dicom/classify_test.ts “by choice”",
    "model/dicom/classify_test.ts “by includes”",
    "model/dicom/classify_test.ts “by physics”",
    "model/dicom/dicom_charset_test.ts “Hong Gildong”",
    "server/core/dicom/read/instance_test.ts “SAG MPRAGE”",
    "server/core/dicom/read/protocol_test.ts “SIEMENS Sky ra Fit”",
    "server/core/dicom/read/protocol_test.ts “SIEMENS Skyra”",
    "server/core/studies/service/person_name_test.ts “Doe Jane Dr”",
    "server/core/studies/service/person_name_test.ts “Hong Gildong”",
    "server/core/studies/service/person_name_test.ts “Kim Minsu”",
  ],
};
