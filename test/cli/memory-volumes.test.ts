import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { memoryPlace } from '../store/memory-place.ts';
import { workshopFor } from './workshop.ts';

/** Prints the sizes in KiB, fills the first volume in its first run, and ends well in its second one. */
const SCRIPT = `
  size() { df -Pk "$1" | awk 'END { print $2 }'; }
  echo "sizes $(size /limited) $(size /of-pod)"
  [ ! -e /limited/kept ] || { echo "kept $(cat /limited/kept)"; exit 0; }
  echo here >/limited/kept
  dd if=/dev/zero of=/limited/large bs=64k count=32 2>&1
  exit 1
`;

describe(
  'an emptyDir in memory, for root with namespaces',
  needs('root', 'namespaces', 'mounts for all', '/dev/shm in memory'),
  () => {
    it('has a size of its own, keeps its content over restarts, and is gone after its Pod', async (context) => {
      const workshop = workshopFor(context);
      const place = memoryPlace();
      const volumeMounts = ['limited', 'of-pod'].map((name) => ({ name, mountPath: `/${name}` }));
      const manifest = workshop.pod('memory', {
        restartPolicy: 'OnFailure',
        volumes: [
          { name: 'limited', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
          { name: 'of-pod', emptyDir: { medium: 'Memory', sizeLimit: '1Ei' } },
        ],
        containers: [
          { name: 'c', command: ['sh', '-c', SCRIPT], volumeMounts, resources: { limits: { memory: '64Mi' } } },
        ],
      });
      const flags = ['--runtime', 'namespace', '--backoff-initial', '10ms'];
      const podrun = workshop.start(['apply', manifest, ...flags], { XDG_RUNTIME_DIR: place });
      const { exitCode, stdout } = await podrun.ended;
      expect(stdout).toContain('sizes 1024 65536');
      expect(stdout).toContain('No space left on device');
      expect(stdout).toContain('kept here');
      expect(exitCode).toBe(0);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(place);
    });
  },
);

describe('an emptyDir in memory without a file system of its own', needs('/dev/shm in memory'), () => {
  it('says once that its limit is measured', async (context) => {
    const workshop = workshopFor(context);
    const emptyDirs = { limited: { sizeLimit: '1Mi' }, free: {} };
    const volumes = Object.entries(emptyDirs).map(([name, rest]) => ({
      name,
      emptyDir: { medium: 'Memory', ...rest },
    }));
    const manifest = workshop.pod('memory', {
      restartPolicy: 'Never',
      volumes,
      containers: [{ name: 'c', command: ['true'] }],
    });
    const flags = ['--runtime', 'process', '--no-logs'];
    const { exitCode } = await workshop.start(['apply', manifest, ...flags], { XDG_RUNTIME_DIR: memoryPlace() }).ended;
    expect(exitCode).toBe(0);
    const { stdout } = await workshop.run([
      'events',
      '-o',
      'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
    ]);
    expect(stdout.split('\n').filter((line) => line.startsWith('SizeLimitMeasured'))).toEqual([
      expect.stringMatching(/^SizeLimitMeasured volume "limited": podrun measures its sizeLimit every 10 seconds/),
    ]);
  });
});
