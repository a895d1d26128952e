export { type Advice, type AdviceSeverity, counted } from './advise/advice.ts';
export { advise, type Basis, type RunAdvice } from './advise/advise.ts';
export { patchOf } from './advise/patch.ts';
export { compareRuns, type RunComparison } from './compare/compare-runs.ts';
export type { Difference, Tolerance } from './compare/difference.ts';
export type { ManifestChange } from './compare/manifest-changes.ts';
export { pairRuns, type RunPair } from './compare/pair-runs.ts';
export { type LogTail, NO_RECORDS, type PodEvidence, type RecordedEvidence } from './evidence.ts';
export type {
  Expectation,
  FinalState,
  NumberRange,
  Pattern,
  PatternKind,
  Written,
  WrittenPattern,
} from './expect/expectation.ts';
export { meetExpectation, type Outcome } from './expect/meet-expectation.ts';
export type { Check } from './expect/meet-steps.ts';
export { type Moment, parseMoment } from './base/moment.ts';
export { noTransitions } from './base/no-transitions.ts';
export { type Noticed, noticedIn } from './noticed.ts';
export type { RecordedRun, RecordedTransition } from './base/recorded-run.ts';
export { withoutRenewals } from './renewals.ts';
export { isOver, lastStateOf, runLengthMs } from './base/run-length.ts';
export { runsInStream } from './runs-in-stream.ts';
export { type NamedRun, onRecordAt, type RunState, stateAt } from './base/state-at.ts';
export { containerOfEvent, eventSubject } from './story/event-subject.ts';
export type { AttemptStory, ContainerStory, Happening, HookSpan, ProbeSpan, RunStory, Stretch } from './story/model.ts';
export { recordedExit, restartsOf, storyOf } from './story/run-story.ts';
export { type EndInStatus, endsIn } from './story/runs-in-status.ts';
export { timelineOf } from './timeline/critical-path.ts';
export type { CriticalPath, PathStep, Timeline } from './timeline/model.ts';
export { readyCounts } from './timeline/ready-counts.ts';
export { isGood } from './timeline/start-steps.ts';
export { latestMomentIn } from './base/transition-time.ts';
