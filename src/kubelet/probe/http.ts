import type { HTTPGetAction } from '../../api/index.ts';
import type { ProbeOutcome } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { withDeadline } from './deadline.ts';
import { httpGet } from './http-get.ts';
import { requestFor } from './http-request.ts';
import type { ProbeInput } from './input.ts';

/** Sends a request: a status from 200 to 399 is a success. Source: pkg/probe/http/http.go DoHTTPProbe. */
export async function probeHttp(
  action: HTTPGetAction,
  timeoutMs: number,
  input: ProbeInput,
  dial?: Dial,
): Promise<ProbeOutcome> {
  const { pod, container, clock, abort } = input;
  const built = requestFor(action, pod, container, 'probe');
  if (!built.ok) return { result: 'error', output: built.error };
  let timedOut = false;
  const reply = await withDeadline({ clock, timeoutMs, signal: abort.signal }, async (deadline) => {
    const received = await httpGet(built.request, deadline, dial);
    timedOut = deadline.passed;
    return received;
  });
  switch (reply.type) {
    case 'answered':
      return { ...judge(reply.status, reply.body), answer: { httpStatus: reply.status } };
    case 'unanswered':
      return { result: 'failure', output: reply.error, timedOut, answer: reply.answer ?? {} };
    case 'cutOff':
      // kubelet returns a failure together with an error. The error wins, and the outcome does not count.
      return { result: 'error', state: 'failure', output: reply.error };
    default:
      return reply satisfies never;
  }
}

function judge(status: number, body: string): ProbeOutcome {
  if (status >= 200 && status < 300) return { result: 'success', output: body };
  if (status >= 300 && status < 400) {
    return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
  }
  return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
}
