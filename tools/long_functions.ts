// List of functions that are longer than a screen; tools/lint_layers.ts refuses any other long one.

/** Maximum number of lines of a function of the product. */
export const MOST_LINES = 80;

/**
 * Names of the functions that are still longer, by file. Split them when you work on them; no
 * function is added (`MOST_LONG_FUNCTIONS` in tools/long_functions_test.ts).
 */
export const LONG_FUNCTIONS: Record<string, readonly string[]> = {
  "client/kernels/client.ts": ["createVolumeLoader"],
  "components/Pagination.tsx": ["Pagination"],
  "components/day/Calendar.tsx": ["Calendar"],
  "components/dicom_export/dicom_dialog.tsx": ["DicomDialog"],
  "components/header/header_menu.tsx": ["HeaderMenu"],
  "components/header/my_page_dialog.tsx": ["useMyPage"],
  "components/header/tray_menu.tsx": ["TrayMenu"],
  "components/licence/credit_log.tsx": ["CreditLogView"],
  "components/notices/notices_view.tsx": ["NoticesView"],
  "components/report_text/use_report_text.ts": ["useReportText"],
  "components/settings/BrainPartTree.tsx": ["BrainPartTree"],
  "components/settings/GroupPanel.tsx": ["GroupPanel"],
  "components/settings/OpinionPanel.tsx": ["OpinionPanel"],
  "components/settings/ReportPanel.tsx": ["ReportPanel"],
  "components/settings/settings_norm_list.tsx": ["NormList"],
  "components/settings/settings_norms.tsx": ["MarkForm", "NormsPanel"],
  "components/settings/use_settings.ts": ["useSettings"],
  "components/worklist/filters/FilterDialog.tsx": ["FilterDialog"],
  "components/worklist/filters/FilterFields.tsx": ["FilterFields"],
  "components/worklist/page/WorklistPage.tsx": ["WorklistPage"],
  "components/worklist/page/WorklistToolbar.tsx": ["WorklistToolbar"],
  "components/worklist/page/use_list.ts": ["useList"],
  "components/worklist/selection/ColumnChoice.tsx": ["ColumnChoice"],
  "components/worklist/table/HistoryTable.tsx": ["HistoryTable"],
  "components/worklist/table/StatusCell.tsx": ["StatusCell"],
  "components/worklist/upload/DropZone.tsx": ["DropZone"],
  "components/worklist/upload/StudyProgressTable.tsx": ["", "StudyProgressTable"],
  "components/worklist/upload/StudyTable.tsx": ["StudyTable"],
  "components/worklist/upload/choice.tsx": ["UploadChoice"],
  "components/worklist/upload/use_sending.ts": ["useSending"],
  "components/worklist/view/ViewDialog.tsx": ["ViewDialog"],
  "islands/FirstPassword.tsx": ["FirstPassword"],
  "islands/KernelBench.tsx": ["KernelBench"],
  "islands/ReportViewer.tsx": ["ReportViewer"],
  "islands/SecondFactor.tsx": ["SecondFactor"],
  "islands/SurfacePane.tsx": ["SurfacePane"],
  "islands/UploadDialog.tsx": ["UploadDialog"],
  "report/html/ReportSideMenu.tsx": ["ReportSideMenu"],
  "report/pdf/slice_image.ts": ["composeSlice"],
  "report/sheets/longitudinal_sheet.ts": ["longitudinalBodiesOf"],
  "server/commands/demo/demo_fill.ts": ["addPerson"],
  "server/commands/demo/phantom/folds.ts": ["sampleAtlas"],
  "server/commands/start/environment.ts": ["readEnvironment"],
  "server/commands/start/identity_environment.ts": ["readIdentity"],
  "server/commands/start/launch.ts": ["launch"],
  "server/core/analyses/service/analysis_store.ts": ["storeOutcome"],
  "server/core/connections/routes/dicomweb.ts": ["dicomwebRoutes"],
  "server/core/connections/service/connections.ts": ["getConnections"],
  "server/core/connections/service/inbox/inbox.ts": ["store"],
  "server/core/dicom/read/instance.ts": ["headerOf"],
  "server/core/exports/service/dicom_segments.ts": ["t1Structures"],
  "server/core/http/app.ts": ["createApi"],
  "server/core/reports/service/report.ts": ["makeReport"],
  "server/core/reports/service/report_pictures.ts": ["makePictures"],
  "server/core/studies/service/ingest.ts": ["ingestStudy"],
  "server/edge/site.ts": ["createSite"],
  "server/edge/web/router.ts": ["addFileRoutes"],
  "tools/pages/viewer_assets.ts": ["setup", "viewerAssets"],
  "tools/release/packages.ts": ["makeImage"],
  "viewer/bench/plain_rasterise.ts": ["draw", "plainRasteriser"],
  "viewer/input/pointer.ts": ["listenToPointer"],
  "viewer/input/surface_input.ts": ["listenToSurface"],
  "viewer/panels/LesionPanel.tsx": ["LesionPanel", "List"],
  "viewer/panels/RegionTree.tsx": ["RegionTree"],
  "viewer/panels/lesion_changes.tsx": ["LesionChanges"],
  "viewer/panels/mosaic.tsx": ["Mosaic"],
  "viewer/panels/reading/correct.tsx": ["CorrectSection"],
  "viewer/panels/reading/key_images.tsx": ["KeyImages"],
  "viewer/panels/reading/measure.tsx": ["Row"],
  "viewer/panels/region_lines.tsx": ["LobeLine", "PartLine"],
  "viewer/panels/tools.tsx": ["Tools"],
  "viewer/slices/compose.ts": ["createComposer"],
};

/** Whether a file belongs to the product: only tests and benchmarks may have longer functions. */
export const isProduct = (path: string): boolean =>
  !/^(tests|bench|docs|static|\.\.)\/|_(test|fixture)\.tsx?$/.test(path);

/** Whether a function of a file is in the list of those that are still longer. */
export const isListed = (path: string, name: string): boolean =>
  LONG_FUNCTIONS[path]?.includes(name) ?? false;
