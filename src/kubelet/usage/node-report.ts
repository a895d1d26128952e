import { hasCode, type StoredKubeObject } from '../../api/index.ts';
import { evictionThresholdMet, nodeStatusIs, pressureIn, staticPodProblem } from '../../lifecycle/index.ts';
import { nodeRecord, reportPressure } from '../../settings/index.ts';
import { EventRecorder, type EventRecorderOptions, nodeOfKubelet } from '../../apiserver/index.ts';
import type { PressureReport } from './eviction-watch.ts';

/** Writes what an agent finds out about its node into the store. */
export class NodeReport {
  readonly #options: EventRecorderOptions & { readonly nodeName: string };
  readonly #recorder: EventRecorder;

  constructor(options: EventRecorderOptions & { readonly nodeName: string }) {
    this.#options = options;
    this.#recorder = new EventRecorder(options);
  }

  /** Writes what the node lacks. On a full disk, nothing: that is the lack itself. */
  pressure({ conditions, reclaims }: PressureReport): void {
    const { store, clock, nodeName } = this.#options;
    try {
      const changed = reportPressure(store, clock, nodeName, conditions);
      const lacked = pressureIn(nodeRecord(store, nodeName)?.status?.conditions ?? []);
      this.#recorder.record(this.#node, [
        ...changed.map((type) => nodeStatusIs(nodeName, type, lacked.includes(type) ? 'True' : 'False')),
        ...(reclaims === undefined ? [] : [evictionThresholdMet(reclaims)]),
      ]);
    } catch (error) {
      if (!hasCode(error, 'Disk')) throw error;
    }
  }

  /** Records the problem of the file of a static Pod. */
  staticPodProblem(text: string): void {
    this.#recorder.recordOwn(this.#node, staticPodProblem(text));
  }

  get #node(): StoredKubeObject {
    return nodeOfKubelet(this.#options.nodeName);
  }
}
