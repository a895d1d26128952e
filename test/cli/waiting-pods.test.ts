import { availableParallelism } from 'node:os';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import { stageForEach } from '../puppet/stage.ts';
import { type Running, podsIn, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const is = (name: string, holds: (pod: Pod) => boolean) => (podrun: Pick<Running, 'lines'>) =>
  podsIn(podrun.lines).some((pod) => pod.metadata?.name === name && holds(pod));
const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';
const isUnschedulable = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true;

const containers = (name: string, cpu: string): PodSpec['containers'] => [
  { name, image: 'app:1', command: stage.command(name), resources: { requests: { cpu }, limits: { cpu: '2000' } } },
];

describe.each(['one run', 'two runs'])('a Pod that waits for a node beside a Pod of %s gets its place', (runs) => {
  /** Applies a Pod, and one that has no place beside it. Resolves with the run of the second one, which waits. */
  async function waiting(early: PodSpec, late: PodSpec): Promise<Running> {
    const files = [workshop.pod('early', early), workshop.pod('late', late)];
    const [first = '', second = ''] = files;
    if (runs === 'one run') {
      const both = workshop.file('both.yaml', files.map((file) => readFileSync(file, 'utf8')).join('---\n'));
      const podrun = workshop.begin(['apply', both, '-o', 'json']);
      await podrun.until(is('early', isRunning));
      await podrun.until(is('late', isUnschedulable));
      return podrun;
    }
    const podrun = workshop.start(['apply', first, '-o', 'json']);
    await podrun.until(is('early', isRunning));
    const other = workshop.start(['apply', second, '-o', 'json']);
    await other.until(is('late', isUnschedulable));
    return other;
  }

  it('when that is resized', async () => {
    const all = String(availableParallelism());
    const late = await waiting({ containers: containers('main', all) }, { containers: containers('more', '500m') });
    const smaller = { containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }] };
    await workshop.run(['patch', 'pod', 'early', '--subresource=resize', '-p', JSON.stringify({ spec: smaller })]);
    await expect(late.until(is('late', isRunning))).resolves.toBe(undefined);
  });

  it('when that gets a label that permits it', async () => {
    const labelSelector = { matchExpressions: [{ key: 'away', operator: 'DoesNotExist' as const }] };
    const required = [{ topologyKey: 'kubernetes.io/hostname', labelSelector }];
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const late = await waiting(
      { containers: containers('main', '1m') },
      { containers: containers('more', '1m'), affinity },
    );
    await workshop.run(['label', 'pod/early', 'away=yes']);
    await expect(late.until(is('late', isRunning))).resolves.toBe(undefined);
  });
});
