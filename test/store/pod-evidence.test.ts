import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { podEvidence, RecordWatch } from '../../src/store/pod-evidence.ts';
import { newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

it('what cannot be read of a Pod for a while is as if it were not there', () => {
  const store = openStore(temporaryFolder());
  const pod = store.create('pods', newPod('web'));
  const { probes } = store.paths('default', 'web');
  symlinkSync(probes, probes);
  expect(podEvidence(store, pod)).toMatchObject({ attempts: [], events: [] });
  const watch = new RecordWatch(store, pod);
  expect(watch.records().attempts).toEqual([]);
  rmSync(probes);
  writeFileSync(probes, '{"container":"main","probe":"Readiness","time":"2026-01-15T12:00:00.000000Z"}\n');
  expect(watch.records().attempts).toMatchObject([{ container: 'main' }]);
  watch.close();
});
