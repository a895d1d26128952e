export { renderAdvice, renderAdviceJson } from './advice.ts';
export { ageSince, briefDuration } from './base/age.ts';
export { describeExitCode } from './base/exit-code.ts';
export { describeObject } from './describe-object.ts';
export { describePod, describePods } from './describe/describe-pod.ts';
export { describeTemplate } from './describe/workloads/pod-template.ts';
export { renderMachineReport } from './doctor/report.ts';
export { EventTablePrinter, renderEvents, sortedByLastSeen } from './table/events.ts';
export { renderExpectation } from './expectation/expectation-file.ts';
export { type ExpectationOutcome, isMet, outcomeRecord, outcomeSuites, renderOutcomes } from './expectation/outcome.ts';
export { renderExplained, renderSupport } from './explain.ts';
export { renderAnnotation } from './findings/github.ts';
export { renderFindingsJson } from './findings/json.ts';
export { renderSarif } from './findings/sarif.ts';
export { findingsSummary, renderFinding } from './findings/text.ts';
export { formatJson } from './formats/base/json.ts';
export { PrintFailure } from './formats/base/print-failure.ts';
export { customColumnsPrinter, parseColumnsFile, parseCustomColumns } from './formats/custom-columns.ts';
export { goTemplatePrinter } from './formats/go-template/index.ts';
export { jsonPathPrinter } from './formats/json-path-format.ts';
export { listOf, type PrintedObject, renderObject, renderWatchLine } from './formats/object.ts';
export { sortObjects } from './formats/sort-objects.ts';
export { formatYaml } from './formats/yaml.ts';
export { imageTable } from './images/image-table.ts';
export { pulledText, pullPhrase } from './images/pull-text.ts';
export {
  type Annotation,
  annotationOf,
  type AnnotationPosition,
  gitHubAnnotation,
  gitHubGroup,
  GROUP_END,
  podError,
} from './live/annotation.ts';
export { eventTransition } from './live/event-transition.ts';
export { causeOf, firstCause } from './live/first-cause.ts';
export { liveColumns, type LiveObjects } from './live/live-columns.ts';
export { type LiveLogLine, type LiveStyle, logPrefix, renderLogLine, renderTransition } from './live/live-line.ts';
export { networkEventLine } from './live/network-event.ts';
export { OutputLines, prefixLines } from './live/output-lines.ts';
export { transitionsOf } from './live/pod-transitions.ts';
export type { FollowedService } from './live/service-row.ts';
export type { FollowedPod } from './live/status-row.ts';
export type { Transition } from './live/transition.ts';
export { waitingFor } from './live/waiting-for.ts';
export { isAboutFieldWithoutEffect, withoutEffectTransition } from './live/without-effect-transition.ts';
export { type NodeUsage, renderNodeUsage } from './node-usage.ts';
export { type PodUsage, renderPodUsage } from './pod-usage.ts';
export { type DefinedProbe, ProbeAttemptTable, renderProbeJournal } from './probe-journal.ts';
export { fitVerdict, type ObjectSuite, RECORD_FAILURE } from './report/fit-verdict.ts';
export { type JunitCase, type JunitSuite, renderJunit } from './report/junit.ts';
export { podCases } from './report/pod-cases.ts';
export { workloadCase } from './report/workload-case.ts';
export { comparisonRecord, renderComparison } from './run-comparison.ts';
export { renderRuns, runRecord, type RunRow } from './run-table.ts';
export { conditionOf } from './table/pod-status.ts';
export { columnsOf } from './table/resource-columns.ts';
export { type Column, renderTable, type TableObject, type TableOptions, TablePrinter } from './table/table-printer.ts';
export { cellsOf } from './text/cells.ts';
export { excerpt } from './text/excerpt.ts';
export { type Painter, PLAIN, type Tone } from './text/painter.ts';
export { selectorText } from './text/selector.ts';
export { DESCRIBE_LAYOUT, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';
export { renderRows } from './text/table-row.ts';
export { escapeTerminal, terminalLine, visibleControls } from './text/terminal-text.ts';
export { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from './timeline/glyphs.ts';
export { renderTimelineJson } from './timeline/json.ts';
export { renderPage } from './timeline/page/page.ts';
export type { PageLog, PagePod } from './timeline/page/sections.ts';
export { renderTimelines } from './timeline/terminal.ts';
export { type NamedTimeline, renderTrace } from './timeline/trace.ts';
export { workloadGroups } from './timeline/workload-groups.ts';
export { explainPod, type ExplainPodOptions } from './waits/explain-pod.ts';
export { likelyGoal } from './waits/goal-phrase.ts';
export { adviseImages, missingImageLines } from './waits/image-advice.ts';
export { newPace, pace, type Pace, type WaitPhrase } from './waits/progress-pace.ts';
export { howLapsed, whyLapsed } from './waits/why-lapsed.ts';
export { whyNever } from './waits/why-never.ts';
export { blamedPod } from './workloads/blamed-pod.ts';
export { deletedBy } from './workloads/deleted-by.ts';
export { jobsDone } from './workloads/jobs-done.ts';
export { progressText, withoutOldCounts } from './workloads/progress.ts';
export { rootEvidence } from './workloads/root-evidence.ts';
export {
  goalOf,
  namedRoot,
  quotedRoot,
  rootName,
  rootPhrase,
  troubledState,
  whyRootNever,
} from './workloads/root-phrases.ts';
export { renderStatusBlock, type Widths } from './workloads/status-block.ts';
export { joinPhrases, podPhrase, rootWait, type WaitedPod } from './workloads/wait-phrase.ts';
export { workloadTransitions } from './workloads/workload-transitions.ts';
export { workloadWarning } from './workloads/workload-warning.ts';
