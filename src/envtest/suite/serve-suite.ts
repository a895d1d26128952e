import { renderManifestErrors } from '../../manifest/index.ts';
import { EXIT } from '../../api/index.ts';
import { parentGone } from '../base/parent-gone.ts';
import type { SuiteApi } from './open-suite-api.ts';
import { type StartOptions, startSuite } from './start-suite.ts';

/** The settings of a process that serves the API for a suite in another language. */
export interface ServeSuiteOptions extends Omit<StartOptions, 'webhooks'> {
  /** Called when the server is ready, and the kinds of the definitions are served. */
  readonly onReady: (api: SuiteApi) => void;
  /** Resolves when the server is to end. */
  readonly end: Promise<void>;
}

/** Serves the API until the end, or until the process that has started this one is gone. Returns the exit code. */
export async function serveSuite({ onReady, end, ...options }: ServeSuiteOptions): Promise<number> {
  const over = Promise.race([end, parentGone(options.clock)]);
  const started = await startSuite({ ...options, webhooks: undefined });
  if (!started.ok) {
    for (const line of renderManifestErrors(started.mistakes)) options.report(line);
    return EXIT.usage;
  }
  onReady(started.api);
  await over;
  await started.api.close();
  return EXIT.ok;
}
