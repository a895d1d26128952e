import { podFullName } from '../../api/index.ts';
import { probeNumbers, type ProbeOutcome } from '../../lifecycle/index.ts';
import type { Dial } from '../../network/index.ts';
import { probeExec } from './exec.ts';
import { probeGrpc } from './grpc.ts';
import { probeHttp } from './http-get.ts';
import type { ProbeInput } from './input.ts';
import { probeTcp } from './tcp.ts';

export type { ProbeInput };

/**
 * Runs a probe once with its handler, for at most timeoutSeconds. Never rejects. The outcome has kubelet's words.
 * Source: pkg/kubelet/prober/prober.go runProbe.
 * @param dial undefined: the Pod uses the host's network
 */
export async function probeOnce(input: ProbeInput, dial?: Dial): Promise<ProbeOutcome> {
  const { pod, container, probe } = input;
  const timeoutMs = probeNumbers(probe).timeoutSeconds * 1000;
  if (probe.exec !== undefined) return probeExec(probe.exec, timeoutMs, input);
  if (probe.httpGet !== undefined) return probeHttp(probe.httpGet, timeoutMs, input, dial);
  if (probe.tcpSocket !== undefined) return probeTcp(probe.tcpSocket, timeoutMs, input, dial);
  if (probe.grpc !== undefined) return probeGrpc(probe.grpc, timeoutMs, input, dial);
  return { result: 'error', output: `missing probe handler for ${podFullName(pod.metadata)}:${container.name}` };
}
