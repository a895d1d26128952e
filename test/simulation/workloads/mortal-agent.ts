import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { Clock } from '../../../src/clock.ts';
import { SimulatedAgent } from '../../../src/simulation/simulated-agent.ts';
import type { Store } from '../../../src/store/base/store.ts';
import type { NodeFacts } from '../../../src/lifecycle/base/node-facts.ts';
import type { KeptContainers } from './kept-containers.ts';
import { Life } from './mortal.ts';

/** The world that outlives an agent. */
export interface AgentWorld {
  readonly store: Store;
  readonly clock: Clock;
  readonly suffix: () => string;
  readonly newUid: () => string;
  readonly containersOf: (pod: StoredPod) => KeptContainers;
  readonly nodeFor: (pod: StoredPod) => NodeFacts;
  readonly onTurn: () => void;
}

/** An agent that may die at any of its writes. */
export class MortalAgent extends SimulatedAgent {
  readonly life: Life;

  constructor(world: AgentWorld, life: Life = new Life()) {
    super({
      ...world,
      store: life.store(world.store),
      clock: life.clock(world.clock),
      runtimeOf: (pod) => life.runtime(world.containersOf(pod)),
      foundOf: (pod) => world.containersOf(pod).found,
    });
    this.life = life;
  }

  override close(): void {
    super.close();
    this.life.endAfter(0);
  }
}
