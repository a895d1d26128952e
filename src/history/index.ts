export { type Advice, type AdviceSeverity, counted, patchOf } from './advise/advice.ts';
export type { WorkloadPods } from './advise/placement-rules.ts';
export { advise, type Basis, type RunAdvice } from './advise/advise.ts';
export { compareRuns, type RunComparison } from './compare/compare-runs.ts';
export type { Difference, ManifestChange, Tolerance } from './compare/difference.ts';
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
export {
  isOver,
  lastStateOf,
  latestMomentIn,
  noTransitions,
  type RecordedRun,
  type RecordedTransition,
  runLengthMs,
} from './base/recorded-run.ts';
export { type Noticed, noticedIn } from './noticed.ts';
export { runsInStream, withoutRenewals } from './runs-in-stream.ts';
export { type NamedRun, onRecordAt, type RunState, stateAt } from './base/state-at.ts';
export { containerOfEvent, eventSubject, recordedExit, restartsOf, storyOf } from './story/run-story.ts';
export type { AttemptStory, ContainerStory, Happening, HookSpan, ProbeSpan, RunStory, Stretch } from './story/model.ts';
export { type EndInStatus, endsIn } from './story/container-story.ts';
export { timelineOf } from './timeline/critical-path.ts';
export type { CriticalPath, PathStep, Timeline } from './timeline/model.ts';
export { type NodeLane, nodeLanes } from './timeline/node-lanes.ts';
export { readyCounts } from './timeline/ready-counts.ts';
export { isGood } from './timeline/start-steps.ts';
