import { expect, it } from 'vitest';
import { explainPod } from '../../../src/print/waits/explain-pod.ts';
import { container, ended, NOW_MS, webPod } from '../pods.ts';

/** The explanation of a Pod whose container could not be started. @param mountPath the place of its volume */
function explain(message: string, mountPath: string): string {
  const failed = ended('main', 128, { reason: 'StartError', message });
  const pod = webPod({
    spec: { containers: [container('main', { volumeMounts: [{ name: 't', mountPath }] })] },
    status: { containerStatuses: [failed] },
  });
  const evidence = { attempts: [], hooks: [], logs: new Map<string, never>(), events: [] };
  return explainPod({ pod, evidence, untilMs: NOW_MS, isEndWanted: false });
}

const HIDES = "and hides this machine's: mount it elsewhere, or add the program";

it.each([
  ['/tmp', 'exec: "/tmp/prog": stat /tmp/prog: no such file', `volume t at /tmp does not have /tmp/prog, ${HIDES}`],
  ['/usr/bin', 'exec: "/bin/sh": stat /bin/sh: no such file', `volume t at /usr/bin does not have /bin/sh, ${HIDES}`],
  [
    '/data',
    'exec /bin/sh: argument list too long',
    'put large values into files, as a ConfigMap has them: the kernel permits 128 KiB for a variable or argument',
  ],
  ['/', 'error mounting /v to rootfs at /: it would be the root', 'mount the volume at a folder below /'],
  ['/data', 'exec: "/bin/x": stat /bin/x: no such file', 'check that the program exists'],
])('with a volume at %s, advice about "%s" fits the cause', (mountPath, message, advice) => {
  const lines = explain(message, mountPath).split('\n');
  expect(lines.filter((line) => line.includes(advice))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('check that the program exists'))).toHaveLength(
    advice.startsWith('check') ? 1 : 0,
  );
});
