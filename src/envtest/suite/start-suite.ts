import type { Input, ManifestMistake } from '../../manifest/index.ts';
import { installObjects } from './install.ts';
import { openSuiteApi, type SuiteApi, type SuiteOptions } from './open-suite-api.ts';
import { readDefinitions } from './read-definitions.ts';
import { type LocalServer, webhookServerFor, withLocalWebhooks } from './webhook-server.ts';

/** The settings of a suite: its API server, and what is installed there before it begins. */
export interface StartOptions extends SuiteOptions {
  /** The manifests of definitions. */
  readonly crds: Manifests;
  /** The manifests of webhooks. Undefined: the suite has no server for them, and conversions keep their Services. */
  readonly webhooks: Manifests | undefined;
}

type Manifests = ReadonlyArray<string | Input>;

type StartedSuite =
  | { readonly ok: true; readonly api: SuiteApi; readonly webhookServer: LocalServer }
  /** The manifests are wrong: nothing is left of the server. */
  | { readonly ok: false; readonly mistakes: readonly ManifestMistake[] };

/**
 * Opens the API server of a suite, and installs its definitions and webhooks.
 * @throws {PodrunError} when there is no place for its files
 */
export async function startSuite({ crds, webhooks, ...options }: StartOptions): Promise<StartedSuite> {
  const read = [await readDefinitions(crds, 'definitions'), await readDefinitions(webhooks ?? [], 'webhooks')];
  const mistakes = read.flatMap((each) => each.mistakes);
  if (mistakes.length > 0) return { ok: false, mistakes };
  for (const warning of read.flatMap((each) => each.warnings)) options.report(warning);
  const api = await openSuiteApi(options);
  try {
    const webhookServer = await webhookServerFor(api);
    const objects = read
      .flatMap((each) => each.objects)
      .map((each) => {
        const object = webhooks === undefined ? each.object : withLocalWebhooks(each.object, webhookServer, api.ca);
        return { ...each, object };
      });
    const refused = await installObjects(api.client, options.clock, objects);
    if (refused.length === 0) return { ok: true, api, webhookServer };
    await api.close();
    return { ok: false, mistakes: refused };
  } catch (error) {
    await api.close();
    throw error;
  }
}
