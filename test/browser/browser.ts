import { existsSync } from 'node:fs';

/** The used parts of playwright-core, which may not be installed. */
export interface Page {
  goto(url: string): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  on(event: 'console', listener: (message: { text(): string; type(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
  evaluate<T>(script: string): Promise<T>;
  click(selector: string): Promise<void>;
  hover(selector: string, options?: { force?: boolean }): Promise<void>;
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  readonly keyboard: { press(key: string): Promise<void> };
  readonly mouse: {
    move(x: number, y: number, options?: { steps: number }): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
  };
}

interface Browser {
  newPage(options: { viewport: { width: number; height: number } }): Promise<Page>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[] }): Promise<Browser>;
  };
}

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const ARGS = [
  ...'--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage'.split(' '),
  ...'--disable-background-networking --disable-component-update --disable-sync'.split(' '),
];

/** The reason why there is no browser. Undefined when there is one. */
export async function lackOfBrowser(): Promise<string | undefined> {
  if (!PLACES.some((place) => existsSync(place))) return 'no Chromium on this machine';
  const found = await playwright().catch(() => undefined);
  return found === undefined ? 'playwright-core is not installed' : undefined;
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = PLACES.find((place) => existsSync(place)) ?? '';
  return (await playwright()).chromium.launch({ executablePath, args: ARGS });
}

/** Imports by a name in a variable, so that types are checked also where the package is not installed. */
async function playwright(): Promise<Playwright> {
  const name = 'playwright-core';
  return (await import(name)) as Playwright;
}
