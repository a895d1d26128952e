import { describe, expect, it } from 'vitest';
import { deleteRecord } from '../../../src/apiserver/deletion/delete-record.ts';
import { settleAllVolumes, settleClaimsOf, settleVolumes } from '../../../src/apiserver/volumes/settle-volumes.ts';
import type { KubeObject, StoredKubeObject, StoredPod } from '../../../src/api/base/objects.ts';
import type { StoredClaim, StoredVolume } from '../../../src/controllers/base/reconcile.ts';
import type { Store } from '../../../src/store/base/store.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';
import { Life } from '../../simulation/workloads/mortal.ts';
import { newPod } from '../../store/objects.ts';

const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default', finalizers: ['kubernetes.io/pvc-protection'] },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'standard',
    resources: { requests: { storage: '1Gi' } },
    volumeMode: 'Filesystem',
  },
  status: { phase: 'Pending' },
} as unknown as KubeObject;

const phasesIn = (store: Store): unknown[] => [
  store.list<StoredClaim & KubeObject>('persistentvolumeclaims').map(({ status }) => status?.phase),
  store.list<StoredVolume & KubeObject>('persistentvolumes').map(({ status }) => status?.phase),
];

/** Does the work in a process that is killed after so many writes. False: it had no more to do. */
function isKilled(store: Store, writes: number, work: (mortal: Store) => void): boolean {
  const life = new Life();
  life.endAfter(writes);
  if (writes > 0) work(life.store(store));
  return life.isOver;
}

function podWithClaim(): StoredPod {
  const pod = newPod('web');
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return { ...pod, spec: { ...pod.spec, volumes } };
}

describe('after a kill at any write', () => {
  it('of a process that binds a new claim, the next command binds it, and so does the agent of its Pod', () => {
    for (let writes = 0, wasKilled = true; wasKilled; writes += 1) {
      for (const next of [settleAllVolumes, (store: Store) => settleClaimsOf(store, podWithClaim())]) {
        const store = new MemoryStore(new ManualClock());
        const claim = store.create('persistentvolumeclaims', CLAIM);
        wasKilled = isKilled(store, writes, (mortal) => settleVolumes(mortal, claim));
        next(store);
        expect(phasesIn(store), `killed after ${writes} writes`).toEqual([['Bound'], ['Bound']]);
      }
    }
  });

  it('of a process that deletes a claim, the next command removes it with its volume', () => {
    for (let writes = 1, wasKilled = true; wasKilled; writes += 1) {
      const clock = new ManualClock();
      const store = new MemoryStore(clock);
      const claim = store.create('persistentvolumeclaims', CLAIM) as StoredKubeObject;
      settleVolumes(store, claim);
      wasKilled = isKilled(store, writes, (mortal) => void deleteRecord(mortal, clock, claim, 'Background'));
      settleAllVolumes(store);
      expect(phasesIn(store), `killed after ${writes} writes`).toEqual([[], []]);
    }
  });
});
