import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { type Dashboard, openDashboard } from '../../src/server/dashboard/open-dashboard.ts';
import { goldenEvents, goldenPods } from '../print/golden.ts';
import { startServer, type TestServer } from '../server/start-server.ts';
import { lackOfBrowser, openBrowser, type Page } from './browser.ts';
import { needs } from '../needs.ts';

const lack = await lackOfBrowser();

describe('the dashboard in a browser', needs({ 'a browser': lack === undefined }), () => {
  let server: TestServer;
  let dashboard: Dashboard;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  const troubles: string[] = [];
  const foreign: string[] = [];

  beforeAll(async () => {
    const objects = [...goldenPods('crashloop'), ...goldenEvents('crashloop')] as unknown as KubeObject[];
    server = await startServer({ objects });
    dashboard = await openDashboard({ url: server.url, ca: server.ca, token: server.token }, 0);
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

  it('shows Pods, also those that come later, and forgets the code of its link', async () => {
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

  it('opens a Pod with the keyboard, and goes back', async () => {
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await until(`document.querySelector('#log')`);
    for (const words of ['Timeline', 'PodScheduled', 'BackOff', 'exited with code']) await mainHas(words);
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
