import { describe, expect, it } from 'vitest';
import type { Container, EphemeralContainer } from '../../src/api/generated/types.ts';
import { PodSimulation } from './pod-simulation.ts';
import type { ProgramBehaviour } from '../../src/simulation/read-program.ts';

const main = { name: 'main', image: 'app' };
const debug: EphemeralContainer = { name: 'debug', image: 'tools' };
const stubborn: ProgramBehaviour = { onSignal: () => 'ignore' };
const behaving =
  (programs: Readonly<Record<string, ProgramBehaviour>>) =>
  (name: string): ProgramBehaviour =>
    programs[name] ?? {};

describe('an ephemeral container', () => {
  it('starts in a running Pod, and neither its end nor its failure changes anything else', async () => {
    const behave = behaving({ debug: { exitAfterMs: 2000, exitCode: 4 } });
    const pod = await new PodSimulation({ spec: { containers: [main] }, behave }).start();
    await pod.clock.run(1000);
    await pod.addEphemeral(debug);
    expect(pod.container('debug')).toMatchObject({ state: { running: {} }, ready: false, restartCount: 0 });
    expect(pod.container('debug')).not.toHaveProperty('started');
    await pod.clock.run(60_000);
    expect(pod.container('debug').state?.terminated).toMatchObject({ exitCode: 4, reason: 'Error' });
    expect(pod.startsOf('debug')).toEqual([1000]);
    expect(pod.startsOf('main')).toEqual([0]);
    expect(pod.phases).toEqual(['Pending', 'Running']);
    expect(pod.condition('Ready')).toEqual(['False/ContainersNotReady', 'True']);
    // The states as recorded on a node.
    const states = pod.seen.flatMap(({ status }) => status?.ephemeralContainerStatuses?.[0]?.state ?? []);
    expect(states).toMatchObject([{ waiting: { reason: 'ContainerCreating' } }, { running: {} }, { terminated: {} }]);
    const events = pod.seen.flatMap(({ event }) => (event?.container === 'debug' ? [event.reason] : []));
    expect(events).toEqual(['Pulled', 'Created', 'Started']);
  });

  it('does not wait for initialization', async () => {
    const spec = { initContainers: [{ name: 'setup', image: 'app' }], containers: [main] };
    const pod = await new PodSimulation({ spec, behave: behaving({ setup: { exitAfterMs: 5000 } }) }).start();
    await pod.addEphemeral(debug);
    expect(pod.startsOf('debug')).toEqual([0]);
    expect(pod.status.phase).toBe('Pending');
    await pod.clock.run(6000);
    expect(pod.startsOf('main')).toEqual([5000]);
  });

  it('is stopped when the regular containers are done, and does not count for the phase', async () => {
    const behave = behaving({ main: { exitAfterMs: 3000 } });
    const pod = await new PodSimulation({ spec: { containers: [main], restartPolicy: 'Never' }, behave }).start();
    await pod.addEphemeral(debug);
    await pod.clock.run(3000);
    expect(pod.status.phase).toBe('Succeeded');
    expect(pod.container('debug').state?.terminated).toMatchObject({ exitCode: 143 });
    expect(pod.events.at(-1)).toBe('Killing Stopping container debug');
    expect(pod.finished).toBe(true);
  });

  it('is stopped together with the regular containers, and before the sidecars are', async () => {
    const sidecar: Container = { name: 'proxy', image: 'app', restartPolicy: 'Always' };
    const behave = behaving({ debug: stubborn });
    const pod = await new PodSimulation({ spec: { initContainers: [sidecar], containers: [main] }, behave }).start();
    await pod.addEphemeral(debug);
    await pod.clock.run(1000);
    pod.delete(5);
    await pod.clock.run(10_000);
    const ends = pod.runtime.journal.filter(({ what }) => what === 'signal' || what === 'kill');
    expect(ends.map(({ name, what, atMs }) => `${atMs} ${what} ${name}`)).toEqual([
      '1000 signal main',
      '1000 signal debug',
      '1000 signal proxy',
      '6000 kill debug',
    ]);
    expect(pod.finished).toBe(true);
  });

  it('that comes when the Pod is going down never starts', async () => {
    const pod = await new PodSimulation({ spec: { containers: [main] }, behave: () => stubborn }).start();
    await pod.clock.run(1000);
    pod.delete(5);
    await pod.addEphemeral(debug);
    await pod.clock.run(10_000);
    expect(pod.startsOf('debug')).toEqual([]);
    expect(pod.container('debug').state).toEqual({ waiting: { reason: 'ContainerCreating' } });
  });

  it('is tried again while its image is missing, and not once it has been created', async () => {
    const pullError = 'no such image';
    const images = () => ({ debug: { type: 'absent', pullError } as const });
    const missing = await new PodSimulation({ spec: { containers: [main] }, images }).start();
    await missing.addEphemeral(debug);
    expect(missing.container('debug').state?.waiting).toEqual({ reason: 'ErrImagePull', message: pullError });
    await missing.clock.run(5000);
    expect(missing.container('debug').state?.waiting?.reason).toBe('ImagePullBackOff');

    const behave = behaving({ debug: { failToStart: 'no such program' } });
    const broken = await new PodSimulation({ spec: { containers: [main] }, behave }).start();
    await broken.addEphemeral(debug);
    await broken.clock.run(600_000);
    const failed = { exitCode: 128, reason: 'StartError', message: 'no such program' };
    expect(broken.container('debug').state?.terminated).toMatchObject(failed);
    expect(broken.runtime.journal.filter(({ name, what }) => name === 'debug' && what === 'start')).toHaveLength(1);
  });

  it('waits for its target, and reports that once', async () => {
    const spec = { initContainers: [{ name: 'setup', image: 'app' }], containers: [main] };
    const pod = await new PodSimulation({ spec, behave: behaving({ setup: { exitAfterMs: 5000 } }) }).start();
    await pod.addEphemeral({ ...debug, targetContainerName: 'main' });
    const message = 'unable to find target container main';
    expect(pod.container('debug').state?.waiting).toEqual({ reason: 'CreateContainerConfigError', message });
    await pod.clock.run(6000);
    expect(pod.startsOf('debug')).toEqual([5000]);
    expect(pod.events.filter((event) => event.includes(message))).toEqual([`Failed Error: ${message}`]);
  });

  it('is left alone by RestartAllContainers', async () => {
    const exitCodes = { operator: 'In', values: [42] };
    const source = { name: 'source', image: 'app', restartPolicy: 'Never' };
    const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes }];
    const spec = { containers: [main, { ...source, restartPolicyRules }] };
    const behave = (name: string, attempt: number): ProgramBehaviour =>
      name === 'source' && attempt === 0 ? { exitAfterMs: 2000, exitCode: 42 } : {};
    const pod = await new PodSimulation({ spec, behave }).start();
    await pod.addEphemeral(debug);
    await pod.clock.run(10_000);
    expect(pod.startsOf('main')).toHaveLength(2);
    expect(pod.startsOf('debug')).toEqual([0]);
    expect(pod.container('debug').state).toHaveProperty('running');
  });
});
