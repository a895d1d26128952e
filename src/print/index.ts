export { renderAdvice, renderAdviceJson } from './advice.ts';
export { briefDuration } from './base/age.ts';
export { describeExitCode } from './base/exit-code.ts';
export { describeObject } from './describe-object.ts';
export { describePod, describePods } from './describe/describe-pod.ts';
export { describeTemplate } from './describe/pod-template.ts';
export { renderMachineReport } from './doctor/report.ts';
export { renderExpectation } from './expectation/expectation-file.ts';
export { type ExpectationOutcome, isMet, outcomeRecord, outcomeSuites, renderOutcomes } from './expectation/outcome.ts';
export { renderExplained, renderSupport } from './explain.ts';
export { findingsSummary, renderAnnotation, renderFinding, renderFindingsJson, renderSarif } from './findings.ts';
export { formatJson } from './formats/base/json.ts';
export { PrintFailure } from './formats/base/print-failure.ts';
export { customColumnsPrinter, parseColumnsFile, parseCustomColumns } from './formats/custom-columns.ts';
export { goTemplatePrinter } from './formats/go-template/index.ts';
export { jsonPathPrinter } from './formats/json-path-format.ts';
export { formatYaml, listOf, type PrintedObject, renderObject, renderWatchLine } from './formats/object.ts';
export { sortObjects } from './formats/sort-objects.ts';
export { imageTable, pulledText, pullPhrase } from './images.ts';
export { nodeTable } from './nodes.ts';
export type { FollowedAddress } from './workloads/workload-row.ts';
export {
  type Annotation,
  annotationOf,
  type AnnotationPosition,
  gitHubAnnotation,
  gitHubGroup,
  GROUP_END,
  podError,
} from './live/annotation.ts';
export {
  eventTransition,
  isAboutFieldWithoutEffect,
  withoutEffectText,
  withoutEffectTransition,
} from './live/event-transition.ts';
export { causeOf, firstCause } from './live/first-cause.ts';
export { liveColumns, type LiveObjects, podLabel } from './live/live-columns.ts';
export { continuedLog, type LiveStyle, logPrefix, renderRemark, renderTransition } from './live/live-line.ts';
export { networkTransition, nodeTransition, type Transition } from './live/transition.ts';
export {
  type JudgedConnection,
  type PolicyPlace,
  renderNetworkVerdict,
  renderNetworkVerdictsJson,
} from './network-verdict.ts';
export { renderPlacement, renderPlacements, renderPlacementsJson } from './placement.ts';
export { OutputLines, prefixLines } from './live/output-lines.ts';
export { type FoldedPod, foldedTransitions, transitionsOf } from './live/pod-transitions.ts';
export type { BlockTarget, FollowedPod } from './live/status-row.ts';
export { waitingFor } from './live/waiting-for.ts';
export { autoscalerTransition, scalingText } from './workloads/autoscaler-transition.ts';
export { type NodeUsage, type PodUsage, renderNodeUsage, renderPodUsage } from './pod-usage.ts';
export { type DefinedProbe, ProbeAttemptTable, renderProbeJournal } from './probe-journal.ts';
export { fitVerdict, type ObjectSuite, RECORD_FAILURE } from './report/fit-verdict.ts';
export { type JunitCase, type JunitSuite, renderJunit } from './report/junit.ts';
export { podCases, workloadCase } from './report/cases.ts';
export { renderSummary, type SummaryRow } from './report/run-summary.ts';
export { comparisonRecord, renderComparison, renderRuns, runRecord, type RunRow } from './run-comparison.ts';
export { EventTablePrinter, renderEvents, sortedByLastSeen } from './table/events.ts';
export { conditionOf } from './table/pod-status.ts';
export { columnsOfDefinition, customCell } from './table/custom-columns.ts';
export { columnsOf } from './table/resource-columns.ts';
export { type Column, renderTable, type TableObject, type TableOptions, TablePrinter } from './table/table-printer.ts';
export { cellsOf } from './text/cells.ts';
export { DESCRIBE_LAYOUT, renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';
export { excerpt, wordWrap } from './text/excerpt.ts';
export { type Painter, PLAIN, type Tone } from './text/painter.ts';
export { escapeTerminal, terminalLine, visibleControls } from './text/terminal-text.ts';
export { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from './timeline/glyphs.ts';
export { renderTimelineJson } from './timeline/json.ts';
export { renderPage } from './timeline/page/page.ts';
export type { PageLog, PagePod } from './timeline/page/sections.ts';
export { renderTimelines } from './timeline/terminal.ts';
export { type NamedTimeline, renderTrace } from './timeline/trace.ts';
export { workloadGroups } from './timeline/pod-summary.ts';
export { explainPod, type ExplainPodOptions } from './waits/explain-pod.ts';
export { failingProbes } from './waits/probe-remedies.ts';
export { adviseImages, missingImageLines } from './waits/image-advice.ts';
export {
  joinPhrases,
  newPace,
  pace,
  type Pace,
  podPhrase,
  rootWait,
  type WaitedPod,
  type WaitPhrase,
} from './workloads/wait-phrase.ts';
export { deletionText, howLapsed, whyLapsed, whyNever } from './waits/goal-phrase.ts';
export {
  blamedPod,
  goalOf,
  namedRoot,
  quotedRoot,
  rootEvidence,
  rootName,
  rootPhrase,
  rootState,
  troubledState,
  whyRootNever,
} from './workloads/root-phrases.ts';
export { deletedBy } from './workloads/deleted-by.ts';
export { jobsDone } from './workloads/jobs-done.ts';
export { progressText, withoutOldCounts } from './workloads/progress.ts';
export {
  blockTargets,
  renderStatusBlock,
  type StatusBlock,
  targetName,
  type Widths,
} from './workloads/status-block.ts';
export { workloadTransitions } from './workloads/workload-transitions.ts';
export { workloadWarning } from './workloads/workload-warning.ts';
