import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { quietly } from '../../src/quietly.ts';
import { type Workshop, workshopFor } from '../cli/workshop.ts';
import { has, needs } from '../needs.ts';
import { PATIENT } from '../patience.ts';
import { serverOf } from '../server/requests.mjs';
import { processes } from './what-is-left.ts';

/** `npm run chaos` tries each removal after each end at each delay. */
const SEEDS = process.env['PODRUN_CHAOS_SEEDS'] === undefined ? 1 : 18;

/** The network with the most processes in the background: a holder for each Pod, a cluster, its way out, a helper. */
const FLAGS = ['--network', has('networks') ? 'cluster' : 'host'];

const NAMESPACE = 'away';

/** A Pod that does not end when it is asked to. */
function stubborn(workshop: Workshop): string {
  const command = ['sh', '-c', 'trap "" TERM; while :; do sleep 1000; done'];
  return workshop.pod('web', { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', command }] });
}

const left = ({ folder }: Workshop): string[] => processes({ folder });

/** Sends the server behind a kubeconfig a manifest. Answers the status code. */
function post(kubeconfig: string, target: string, type: string, body: string): Promise<number | undefined> {
  const { token, ...place } = serverOf(kubeconfig);
  const headers = { authorization: `Bearer ${token}`, 'content-type': type };
  const options = { ...place, method: 'POST', path: target, headers, servername: 'localhost', agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(body);
  });
}

/** Runs the Pod behind a server, and ends the server. */
const serve = (signal: NodeJS.Signals) => async (workshop: Workshop) => {
  const server = workshop.start(['serve', ...FLAGS]);
  await server.until(({ stderr }) => stderr.includes('serving '));
  const [, kubeconfig = ''] = /KUBECONFIG=(\S+)/.exec(server.stdout) ?? [];
  const namespaces = '/api/v1/namespaces';
  const namespace = JSON.stringify({ metadata: { name: NAMESPACE } });
  expect(await post(kubeconfig, namespaces, 'application/json', namespace)).toBe(201);
  const pod = readFileSync(stubborn(workshop), 'utf8');
  expect(await post(kubeconfig, `${namespaces}/${NAMESPACE}/pods`, 'application/yaml', pod)).toBe(201);
  await vi.waitUntil(() => workshop.processes().length > 0, PATIENT);
  server.signal(signal);
  await server.ended;
};

/** Runs the Pod in the background, and kills its agent. */
async function detach(workshop: Workshop): Promise<void> {
  const applied = ['apply', '-d', '--wait', '-n', NAMESPACE, ...FLAGS, stubborn(workshop)];
  expect(await workshop.run(applied)).toMatchObject({ exitCode: 0 });
  const isAgent = (pid: number): boolean =>
    quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes('run-background-agent') === true;
  for (const pid of workshop.backgroundProcesses().filter(isAgent)) process.kill(pid, 'SIGKILL');
}

/** The ends of an agent that leave its containers to their keeper. */
const ENDS: ReadonlyArray<readonly [string, (workshop: Workshop) => Promise<void>]> = [
  ['serve has ended', serve('SIGTERM')],
  ['serve was killed', serve('SIGKILL')],
  ['the agent of apply --detach was killed', detach],
];

const podrun =
  (...words: string[]) =>
  async (workshop: Workshop): Promise<void> => {
    const ended = await workshop.start(words.map((word) => word.replace('FILE', `${workshop.folder}/web.yaml`))).ended;
    expect(ended).toEqual({ ...ended, exitCode: 0 });
  };
const remove =
  (...below: string[]) =>
  async ({ stateDir }: Workshop): Promise<void> =>
    rmSync(path.join(stateDir, ...below), { recursive: true, maxRetries: 20 });

const FORCED = ['--force', '--grace-period=0'];
const REMOVALS: ReadonlyArray<readonly [string, (workshop: Workshop) => Promise<void>]> = [
  ['delete pod --force', podrun('delete', 'pod', 'web', '-n', NAMESPACE, ...FORCED)],
  ['delete -f --force', podrun('delete', '-n', NAMESPACE, '-f', 'FILE', ...FORCED)],
  ['delete pods --all', podrun('delete', 'pods', '--all', '-n', NAMESPACE)],
  ['delete namespace', podrun('delete', 'namespace', NAMESPACE)],
  ['rm -r of its record', remove('pods', NAMESPACE, 'web')],
  ['rm -r of the state folder', remove()],
];

/** Milliseconds between the end and the removal: another agent takes over meanwhile, or the removal is faster. */
const DELAYS = [0, 100, 500, 1000, 2000, 5000];

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** Each delay with the usual removal, and then with the other ones in turn. */
const TRIALS = [
  ...DELAYS.map((delay) => [delay, at(ENDS, 0), at(REMOVALS, 0)] as const),
  ...Array.from({ length: SEEDS }, (_, seed) =>
    DELAYS.map(
      (delay, index) => [delay, at(ENDS, index + seed), at(REMOVALS, index + 1 + Math.floor(seed / 3))] as const,
    ),
  ).flat(),
].map(([delay, [end, doEnd], [removal, doRemove]]) => ({ delay, end, doEnd, removal, doRemove }));

describe('a Pod in the background', { concurrent: true, ...needs('Linux') }, () => {
  it.for(TRIALS)('is gone after $removal, $delay ms after $end', async ({ delay, doEnd, doRemove }, context) => {
    const workshop = workshopFor(context);
    await doEnd(workshop);
    await sleep(delay);
    await doRemove(workshop);
    // Nothing else is called: the keeper and the helper of the network look by themselves.
    const isOver = async (): Promise<boolean> => workshop.processes().length === 0;
    await vi.waitUntil(isOver, PATIENT);
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    mkdirSync(workshop.stateDir, { recursive: true });
    expect(await workshop.run(['get', 'pods', '-A'])).toMatchObject({ stdout: '' });
    // A look at all processes of the machine takes some ten milliseconds of processor time.
    await vi.waitFor(() => expect(left(workshop)).toEqual([]), { ...PATIENT, interval: 500 });
  });
});
