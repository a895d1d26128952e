import { type Container, type ExecAction, formatGoDuration, goQuote, PodrunError } from '../../api/index.ts';
import { expand, EXPANDED_MAX, type ExpansionRoom, type ProbeOutcome } from '../../lifecycle/index.ts';
import type { ProbeInput } from './input.ts';

const OUTPUT_MAX_BYTES = 10 * 1024;

/** Runs a command: exit code 0 is a success. Source: pkg/probe/exec/exec.go; prober.go newExecInContainer. */
export async function probeExec(action: ExecAction, timeoutMs: number, input: ProbeInput): Promise<ProbeOutcome> {
  let words: string[];
  try {
    words = expandedCommand(action, input.container);
  } catch (error) {
    if (error instanceof PodrunError) return { result: 'error', output: error.message };
    throw error;
  }
  const [program = '', ...args] = words;
  const outcome = await input.exec([program, ...args], timeoutMs, input.abort.signal);
  switch (outcome.type) {
    case 'exited': {
      const output = cut(outcome.stdout + outcome.stderr);
      const { exitCode } = outcome;
      return { result: exitCode === 0 ? 'success' : 'failure', output, answer: { exitCode } };
    }
    case 'timedOut': {
      const command = goQuote([program, ...args].join(' '));
      return {
        result: 'failure',
        timedOut: true,
        output: `command timed out: ${command} timed out after ${formatGoDuration(timeoutMs)}`,
      };
    }
    case 'failedToStart':
      return { result: 'error', output: `rpc error: code = Unknown desc = ${outcome.error}` };
    case 'aborted':
      return { result: 'error', output: 'rpc error: code = Canceled desc = context canceled' };
    default:
      return outcome satisfies never;
  }
}

/**
 * Expands variables with a literal value in the spec. All other variables are empty. Source:
 * pkg/kubelet/container/helpers.go ExpandContainerCommandOnlyStatic.
 */
function expandedCommand(action: ExecAction, container: Container): string[] {
  const literals = new Map((container.env ?? []).map(({ name, value }) => [name, value ?? '']));
  const room: ExpansionRoom = { left: EXPANDED_MAX };
  return (action.command ?? []).map((part) => expand(part, (name) => literals.get(name), room));
}

function cut(output: string): string {
  return output.length * 3 <= OUTPUT_MAX_BYTES ? output : Buffer.from(output).subarray(0, OUTPUT_MAX_BYTES).toString();
}
