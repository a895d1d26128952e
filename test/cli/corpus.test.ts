import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubernetesServer, serve } from '../../src/library/index.ts';
import { FileStore } from '../../src/store/index.ts';
import { newObject } from '../../src/apiserver/index.ts';
import { AUTOSCALERS_CONVERSION } from '../../src/apiserver/resources/autoscalers-conversion.ts';
import { SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/index.ts';
import { loadText } from '../manifest/load-text.ts';
import { emptyFolder } from '../library/pods.ts';
import { comparableObject, CORPUS_TEXTS, post } from './corpus.ts';

/** Each is applied by itself: by `apply`, whose steps these are, and by the API of a server. */
let server: KubernetesServer;
beforeAll(async () => {
  server = await serve({ runtime: 'process', network: 'host', config: false });
  await post(server, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
});
afterAll(() => server.close());

/**
 * No dry run can make an object of a kind whose definition no server has, or the namespace of the others:
 * corpus-doors.test.ts has these.
 */
const ALONE = CORPUS_TEXTS.filter(({ isCustom, object }) => !isCustom && object.kind !== 'Namespace');

describe('a manifest of the corpus', () => {
  it('is one of at least 40', () => {
    expect(CORPUS_TEXTS.length).toBeGreaterThanOrEqual(40);
  });

  it.each(ALONE)('becomes the same object, with the same warnings, by apply and by the API: $name', async (each) => {
    const { objects, unread, errors, warnings } = await loadText(each.text, { forRunning: true, keepsUnread: true });
    expect(errors).toEqual([]);
    const served = await post(server, each.object, '&dryRun=All');
    expect(served.body).not.toMatchObject({ kind: 'Status' });
    // An object that only a server reads goes to one as it is written.
    if (unread.length > 0) return;
    const clock = new SystemClock();
    const store = new FileStore({ root: emptyFolder(), clock, processes: localProcesses, memoryMountPoints: [] });
    const [applied] = objects.map(({ object }) => newObject(store, object));
    const isOldVersion = served.body.apiVersion === 'autoscaling/v1';
    const stored = isOldVersion ? AUTOSCALERS_CONVERSION.toStored(served.body) : served.body;
    expect(comparableObject(stored)).toEqual(comparableObject(applied!));
    expect(served.warnings.toSorted()).toEqual(warnings.toSorted());
  });
});
