import { type PodMachine, probeOnce, runHook } from '../kubelet/index.ts';
import type { NodeFacts } from '../lifecycle/index.ts';

export const SIMULATED_NODE: NodeFacts = {
  name: 'node-1',
  labels: {},
  taints: [],
  allocatable: { cpu: '64', memory: '64Gi', pods: '1000' },
  hostIPs: ['127.0.0.1'],
};

/** A machine whose launches are always ready at once: the program of a container has its name. */
export function simulatedMachine(different: Partial<PodMachine> = {}): PodMachine {
  return {
    createSandbox: () => Promise.resolve(undefined),
    adopted: () => Promise.resolve(),
    restore: (_pod, _instance, launch) => launch,
    removeSandbox: () => Promise.resolve(),
    prepare: (_pod, { container }) => {
      const launch = { argv: [container] as const, env: { SIMULATED_NAME: container }, cwd: '/', stdin: false };
      return Promise.resolve({ ok: true, launch, notices: [] });
    },
    ensureImage: () => Promise.resolve({ type: 'absent' }),
    startFailed: () => undefined,
    measureStorage: () => Promise.resolve({ volumes: {}, logs: {}, layers: {} }),
    limitsOf: () => undefined,
    logFile: () => '',
    started: () => undefined,
    output: () => undefined,
    exited: () => undefined,
    explain: () => undefined,
    runHook,
    runProbe: probeOnce,
    probed: () => undefined,
    hooked: () => undefined,
    logHandlerOutput: () => undefined,
    ...different,
  };
}
