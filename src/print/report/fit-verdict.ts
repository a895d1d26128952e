import { NO_RECORDS } from '../../history/index.ts';
import type { Fault, Verdict } from '../../lifecycle/index.ts';
import type { JunitCase, JunitSuite } from './junit.ts';
import { missingImageLines } from '../waits/image-advice.ts';
import { deletionText, howLapsed, whyLapsed } from '../waits/goal-phrase.ts';
import { rootState, whyRootNever } from '../workloads/root-phrases.ts';

/** The message about a run whose record is incomplete. */
export const RECORD_FAILURE = 'the record of the Pods is incomplete: podrun could not write all of it';

/** The cases of one Pod or workload. The first one is about it as a whole. */
export interface ObjectSuite extends JunitSuite {
  readonly uid: string;
}

/**
 * Makes the cases agree with the verdict on the run: a failed run has at least one failure, a passed run has
 * none. Failures in a passed run become remarks.
 * @param why reason of a failure that no object caused
 */
export function fitVerdict(suites: readonly ObjectSuite[], verdict: Verdict, why: string): JunitSuite[] {
  if (verdict.result === 'passed') {
    return suites.map((suite) => ({ ...suite, cases: suite.cases.map(asRemark) }));
  }
  const blamed = suites.map((suite): JunitSuite => {
    const fault = verdict.faults.find((candidate) => faultUid(candidate) === suite.uid);
    return fault === undefined ? suite : withFailure(suite, faultText(fault), fault.type === 'deleted');
  });
  const hasFailure = blamed.some(({ cases }) => cases.some(({ result }) => result.type === 'failed'));
  if (hasFailure || verdict.result === 'interrupted' || why === '') return blamed;
  return blamed.map((suite, index) => (index === 0 ? withFailure(suite, why) : suite));
}

function asRemark(testCase: JunitCase): JunitCase {
  const { result } = testCase;
  return result.type === 'failed' ? { ...testCase, result: { type: 'passed', remark: result.text } } : testCase;
}

/**
 * Lets an object that caused the failure fail as a whole, unless it does already.
 * @param isFirst true: this is the reason why it does
 */
function withFailure(suite: JunitSuite, message: string, isFirst = false): JunitSuite {
  const [whole, ...others] = suite.cases;
  if (whole === undefined || (whole.result.type === 'failed' && !isFirst)) return suite;
  return { ...suite, cases: [{ ...whole, result: { type: 'failed', message, text: message } }, ...others] };
}

function faultUid(fault: Fault): string {
  return ('root' in fault ? fault.root.object : fault.pod).metadata.uid;
}

function faultText(fault: Fault): string {
  switch (fault.type) {
    case 'lapsed':
      return `it ${howLapsed(fault)}: ${whyLapsed(fault)}`;
    case 'stuck':
      return missingImageLines(fault.pod).join('').trimEnd() || 'it waits for an image';
    case 'failed':
      return fault.root.object.kind === 'Pod'
        ? `its phase is ${rootState(fault.root)}`
        : whyRootNever(fault.root, undefined, () => NO_RECORDS);
    case 'unready':
      return `it was not Ready when COMMAND ended: ${rootState(fault.root)}`;
    case 'deleted':
      return deletionText(fault);
    case 'impossible':
      return 'it can no longer reach the goal';
    default:
      return fault satisfies never;
  }
}
