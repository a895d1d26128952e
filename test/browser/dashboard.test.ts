import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { type Dashboard, openDashboard } from '../../src/server/dashboard/open-dashboard.ts';
import { dashboardFacts } from '../../src/cli/connect/dashboard-facts.ts';
import { runHere } from '../cli/in-process.ts';
import { goldenEvents, goldenPods, goldenStates } from '../print/golden.ts';
import { startServer, type TestServer } from '../server/start-server.ts';
import { lackOfBrowser, openBrowser, type Page } from './browser.ts';
import { needs } from '../needs.ts';
import { PATIENT } from '../patience.ts';

const lack = await lackOfBrowser();

/** A Pod of a state in a namespace of its own: the Pods of several states have one name. */
function inNamespace(pod: StoredPod, namespace: string): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, namespace, uid: `${namespace}-${pod.metadata.name}` } };
}

const controller = (kind: string, name: string): object => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: name,
  controller: true,
});
const meta = (name: string, owner?: object): object => {
  const creationTimestamp = '2026-01-15T11:00:00Z';
  return { name, namespace: 'shop', uid: name, creationTimestamp, ...(owner && { ownerReferences: [owner] }) };
};
const [running] = goldenPods('running-ready');
const selector = { matchLabels: { app: 'shop' } };
const template = { metadata: { labels: { app: 'shop' } }, spec: running!.spec };
/** A Deployment with its Pod, and what leads to it. */
const OWNED: readonly object[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta('web'), spec: { replicas: 1, selector, template } },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: meta('web-1', controller('Deployment', 'web')),
    spec: { replicas: 1, selector, template },
  },
  { ...running, metadata: meta('web-1-abcde', controller('ReplicaSet', 'web-1')) },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta('front'),
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.7.8',
      selector: { app: 'shop' },
      ports: [{ port: 80, protocol: 'TCP' }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: meta('door'),
    spec: { defaultBackend: { service: { name: 'front', port: { number: 80 } } } },
  },
];
const URLS = [
  { kind: 'Service' as const, namespace: 'shop', name: 'front', url: 'http://127.96.7.8' },
  { kind: 'Ingress' as const, namespace: 'shop', name: 'door', url: 'http://shop.localhost:8080' },
];

describe('the dashboard in a browser', needs({ 'a browser': lack === undefined }), () => {
  let server: TestServer;
  let dashboard: Dashboard;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  const troubles: string[] = [];
  const foreign: string[] = [];

  beforeAll(async () => {
    const pods = goldenStates.flatMap((state) => goldenPods(state).map((pod) => inNamespace(pod, state)));
    const objects = [...pods, ...OWNED, ...goldenPods('crashloop'), ...goldenEvents('crashloop')] as KubeObject[];
    server = await startServer({ objects });
    const facts = { ...dashboardFacts(server.store), urls: () => URLS };
    dashboard = await openDashboard({ url: server.url, ca: server.ca, token: server.token }, 0, facts);
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.on('pageerror', ({ message }) => troubles.push(message));
    page.on('console', (message) => {
      // The log of a Pod that nobody runs is an error of the API server.
      if (message.type() === 'error' && !message.text().includes('status of 4')) troubles.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(http|ws):\/\/127\.0\.0\.1/.test(request.url())) foreign.push(request.url());
    });
    await page.goto(dashboard.link);
  });

  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    await server?.close();
  });

  /** Waits for an expression of the page to be true. */
  const until = async (expression: string): Promise<void> => {
    await expect.poll(() => page.evaluate<boolean>(`Boolean(${expression})`)).toBe(true);
  };
  const mainHas = (words: string): Promise<void> =>
    until(`document.querySelector('main').textContent.includes(${JSON.stringify(words)})`);

  it('shows Pods, also later ones, and forgets the code of its link', async () => {
    const [pod] = goldenPods('crashloop');
    await mainHas(pod!.metadata.name);
    await mainHas('CrashLoopBackOff');
    expect(await page.evaluate('location.hash')).toBe('#/');
    const [later] = goldenPods('running-ready');
    server.store.create<StoredPod>('pods', {
      ...later!,
      metadata: { ...later!.metadata, name: '<b>later' },
    });
    await mainHas('<b>later');
    expect(await page.evaluate(`document.querySelector('main b')`)).toBeNull();
  });

  it(`shows the Pods of ${goldenStates.length} states as get does`, async () => {
    const command = ['get', 'pods', '--all-namespaces', '--no-headers'];
    const { stdout } = await runHere({ folder: tmpdir(), stateDir: server.store.root }, command);
    // The age passes.
    const printed = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(/ {2,}/).slice(0, 5));
    const shown = `[...document.querySelectorAll('table[aria-label=Pods] tbody tr')]
      .map((row) => [...row.cells].slice(0, 5).map((cell) => cell.textContent))`;
    const inOrder = (rows: readonly (readonly string[])[]): string[] => rows.map((row) => row.join(' | ')).toSorted();
    expect(printed.length).toBeGreaterThan(goldenStates.length);
    await expect.poll(async () => inOrder(await page.evaluate<string[][]>(shown)), PATIENT).toEqual(inOrder(printed));
  });

  it('shows the nodes where there are several', async () => {
    for (const name of ['node-1', 'node-2']) {
      const metadata = { name };
      server.store.create<KubeObject>('nodes', { apiVersion: 'v1', kind: 'Node', metadata, status: {} });
    }
    await until(`document.querySelectorAll('table[aria-label=Nodes] tbody tr').length >= 2`);
    const heads = `[...document.querySelectorAll('table[aria-label=Nodes] th')].map((head) => head.textContent)`;
    expect(await page.evaluate(heads)).toEqual(['Name', 'Status', 'Roles', 'Age', 'Version']);
    await mainHas('node-2');
  });

  it('shows Services and Ingresses with their URLs, and leads from workloads to Pods', async () => {
    for (const { url } of URLS) await until(`document.querySelector('a[href^="${url}"]')`);
    await page.click('#row-web');
    await until(`document.querySelectorAll('table[aria-label=Pods] tbody tr').length === 1`);
    await mainHas('web-1-abcde');
    await page.keyboard.press('Escape');
    await until(`document.querySelectorAll('table[aria-label=Pods] tbody tr').length > 1`);
    expect(await page.evaluate('location.hash')).toBe('#/');
  });

  it('opens a Pod with the keyboard, and goes back', async () => {
    await page.evaluate(`location.hash = '#/pod/default/${goldenPods('crashloop')[0]!.metadata.name}'`);
    await until(`document.querySelector('#log')`);
    for (const words of ['Timeline', 'PodScheduled', 'BackOff', 'exited with code']) await mainHas(words);
    await until(`document.querySelector('#timeline').textContent.includes('never Ready, 5 restarts')`);
    await page.evaluate(`document.querySelector('#prompt').value = 'id'`);
    await page.click('#prompt');
    await page.keyboard.press('Enter');
    await mainHas('unable to upgrade connection: container not found');
    await page.keyboard.press('Escape');
    await until(`document.querySelector('#log') === null`);
    expect(await page.evaluate('location.hash')).toBe('#/');
  });

  it('is light and dark', async () => {
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.keyboard.press('t');
    expect(await ground()).toBe(light);
  });

  it('breaks no rule, and loads nothing from elsewhere', () => {
    expect([troubles, foreign]).toEqual([[], []]);
  });
});
