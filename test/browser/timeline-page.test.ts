import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timelineOf } from '../../src/history/timeline/critical-path.ts';
import { renderPage } from '../../src/print/timeline/page/page.ts';
import type { PagePod } from '../../src/print/timeline/page/sections.ts';
import { recordedOnNode } from '../history/traces.ts';
import { recordedScenarios } from '../traces/recorded.ts';
import { lackOfBrowser, openBrowser, type Page } from './browser.ts';
import { needs } from '../needs.ts';

const HOSTILE =
  '<script>window.owned = 1</script><img src=x onerror="window.owned = 2">"\'</pre></script><b id="owned">';

function podsOf(scenarios: readonly string[]): PagePod[] {
  return scenarios.flatMap(recordedOnNode).flatMap((run) => {
    const timeline = timelineOf(run);
    if (timeline === undefined) return [];
    // All Pods are created at the same time, as by one `apply`.
    const pod = { ...timeline, createdAtMs: Date.UTC(2026, 0, 1) };
    const logs = [{ container: 'main', attempt: 0, text: 'one\n\u001b[31mtwo\u001b[0m\n', isCut: false }];
    return [{ run: run.name, timeline: pod, describe: `Name: ${run.name}\n`, logs }];
  });
}

function page(pods: readonly PagePod[]): string {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
  return renderPage(pods, { sha256, madeAt: '2026-01-01T00:00:00Z', version: '0.0.0' });
}

/** A Pod with markup in all of its texts. */
function hostilePod(): PagePod {
  const [pod] = podsOf(['rule-restart-all-on-main-exit']);
  const hostile = (key: string, value: unknown): unknown =>
    typeof value === 'string' && ['message', 'why', 'output', 'reason', 'phase'].includes(key) ? HOSTILE : value;
  const timeline = JSON.parse(JSON.stringify(pod!.timeline), hostile) as PagePod['timeline'];
  const logs = [{ container: 'source', attempt: 0, text: `${HOSTILE}\n`, isCut: false }];
  return { ...pod!, timeline, describe: HOSTILE, logs };
}

const lack = await lackOfBrowser();
if (lack !== undefined) process.stdout.write(`SKIPPED: pages in a browser: ${lack}\n`);

describe('the page as text', () => {
  it('escapes markup in texts of manifests and containers', () => {
    const text = page([hostilePod()]);
    expect(text).not.toContain('<script>window.owned');
    expect(text).not.toContain('<img');
    expect(text.match(/<\/script>/g)).toHaveLength(2);
  });

  it('loads nothing', () => {
    const text = page(podsOf(['term-graceful-exit']));
    expect(text).toContain('default-src &#39;none&#39;; style-src &#39;sha256-');
    expect(text.match(/(?:src|href)="(?!#|data:,)[^"]*"/g)).toBeNull();
    expect(text).not.toMatch(/ style="|url\(|@import/);
  });
});

describe('the page in a browser', needs({ 'a browser': lack === undefined }), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-page-'));
  const file = path.join(folder, 'page.html');
  const trouble: string[] = [];
  let tab: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    tab.on('console', (message) => trouble.push(`${message.type()}: ${message.text()}`));
    tab.on('pageerror', (error) => trouble.push(error.message));
    const { href } = pathToFileURL(file);
    tab.on('request', (request) => {
      if (request.url() !== href && !request.url().startsWith('data:')) trouble.push(`asks for ${request.url()}`);
    });
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens the page in the one tab of the browser: each tab has a process of its own. */
  async function open(pods: readonly PagePod[], width = 1280): Promise<Page> {
    writeFileSync(file, page(pods));
    trouble.length = 0;
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme: 'light' });
    await tab.goto(pathToFileURL(file).href);
    return tab;
  }

  /** Takes a picture, when PODRUN_SCREENSHOTS names a folder. */
  async function look(shown: Page, name: string): Promise<void> {
    const pictures = process.env['PODRUN_SCREENSHOTS'];
    if (pictures === undefined) return;
    mkdirSync(pictures, { recursive: true });
    await shown.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
  }

  const labelOfFocus = 'document.activeElement.getAttribute("aria-label")';

  it.each([
    [1, 'light', 1280],
    [1, 'dark', 1280],
    [20, 'light', 1280],
    [20, 'dark', 420],
  ] as const)('shows %i Pods, %s, at a width of %i', async (count, colorScheme, width) => {
    const scenarios = [...recordedScenarios, ...recordedScenarios].slice(0, count);
    const shown = await open(podsOf(scenarios), width);
    await shown.emulateMedia({ colorScheme });
    expect(await shown.evaluate('document.querySelectorAll(".label.pod").length')).toBe(count);
    expect(await shown.evaluate('document.querySelectorAll("#axis text").length')).toBeGreaterThan(1);
    expect(await shown.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const background = await shown.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const [light = 0] = background.match(/\d+/g)?.map(Number) ?? [];
    expect(light > 128).toBe(colorScheme === 'light');
    await look(shown, `${count}-${colorScheme}-${width}`);
    expect(trouble).toEqual([]);
  });

  it('is used by keyboard alone', async () => {
    const shown = await open(podsOf(['sidecar-startup-probe-gates-next']));
    await shown.keyboard.press('Tab');
    expect(await shown.evaluate('document.activeElement.textContent')).toMatch(/^Skip/);
    const isOnEntry = 'document.activeElement.matches(".entry")';
    for (let tabs = 0; tabs < 20 && !(await shown.evaluate(isOnEntry)); tabs++) await shown.keyboard.press('Tab');
    expect(await shown.evaluate(labelOfFocus)).toMatch(/^Pod sidecar-startup-probe-gates-next: phase Pending; from 0/);
    expect(await shown.evaluate('document.querySelector("#tip").hidden')).toBe(false);
    await shown.keyboard.press('ArrowRight');
    expect(await shown.evaluate(labelOfFocus)).toContain('phase Running');
    await shown.keyboard.press('ArrowDown');
    expect(await shown.evaluate(labelOfFocus)).toContain('container main created');
    await shown.keyboard.press('Home');
    expect(await shown.evaluate(labelOfFocus)).toContain('scheduled');
    await shown.keyboard.press('Escape');
    expect(await shown.evaluate('document.querySelector("#tip").hidden')).toBe(true);
    const width =
      'document.querySelector("#plot").clientWidth || document.querySelector("#plot").getBoundingClientRect().width';
    const before = await shown.evaluate<number>(width);
    await shown.keyboard.press('+');
    expect(await shown.evaluate<number>(width)).toBeGreaterThan(before * 1.5);
    await shown.keyboard.press('0');
    expect(await shown.evaluate<number>(width)).toBeCloseTo(before, -1);
    // Every element that can have the focus is in the page once.
    expect(await shown.evaluate('document.querySelectorAll(".entry[tabindex=\\"0\\"]").length')).toBe(1);
    expect(trouble).toEqual([]);
  });

  it('zooms and moves with the mouse, and tells of what is pointed at', async () => {
    const shown = await open(podsOf(['rule-restart-all-on-main-exit']));
    await shown.hover('.entry.attempt .bar', { force: true });
    expect(await shown.evaluate('document.querySelector("#tip").textContent')).toContain('attempt');
    for (let clicks = 0; clicks < 4; clicks++) await shown.click('#zoom-in');
    const left = 'document.querySelector("#chart").scrollLeft';
    const before = await shown.evaluate<number>(left);
    const [x, y] = await shown.evaluate<[number, number]>(
      '(() => { const box = chart.getBoundingClientRect(); return [box.x + 600, box.y + 80]; })()',
    );
    await shown.mouse.move(x, y);
    await shown.mouse.down();
    await shown.mouse.move(x - 200, y, { steps: 4 });
    await shown.mouse.up();
    expect(await shown.evaluate<number>(left)).toBeGreaterThan(before + 150);
    await shown.click('#zoom-fit');
    expect(await shown.evaluate<number>(left)).toBe(0);
    expect(trouble).toEqual([]);
  });

  it('has a switch for its colours', async () => {
    const shown = await open(podsOf(['term-graceful-exit']));
    const background = 'getComputedStyle(document.body).backgroundColor';
    await shown.emulateMedia({ colorScheme: 'dark' });
    const dark = await shown.evaluate(background);
    await shown.click('#theme');
    expect(await shown.evaluate(background)).not.toBe(dark);
    await shown.click('#theme');
    expect(await shown.evaluate(background)).toBe(dark);
    expect(await shown.evaluate('document.querySelector("#theme").textContent')).toBe('Dark');
  });

  it('shows the output of containers unchanged', async () => {
    const shown = await open([hostilePod()]);
    expect(await shown.evaluate('window.owned === undefined && document.querySelector("#owned") === null')).toBe(true);
    expect(await shown.evaluate('document.querySelector(".log pre").textContent')).toBe(`${HOSTILE}\n`);
    await shown.hover('.entry.backOff .bar, .entry.blocked .bar, .entry.attempt .bar', { force: true });
    expect(await shown.evaluate('window.owned === undefined && document.querySelector("#owned") === null')).toBe(true);
    expect(trouble).toEqual([]);
  });
});
