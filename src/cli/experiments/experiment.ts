import { type StoredEvent, type StoredService, usage } from '../../api/index.ts';
import { machineClock } from '../../clock.ts';
import {
  CountedRequests,
  type CountedService,
  FastClock,
  InjectedFaults,
  type InjectedFaultsOptions,
  readFault,
} from '../../experiments/index.ts';
import { cannotServe, fasterTime, PORT_TAKEN } from '../../lifecycle/index.ts';
import { lowestPort, machineAddress, machinePort } from '../../network/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';

const DEFAULT_SEED = 1;

/**
 * The same call with a time of its own and with faults, which it announces.
 * @throws {PodrunError} (usage) with --detach, for a flag that needs --inject, or for a fault outside of the grammar
 */
export function experiment(
  cli: Cli,
  { speed, inject, seed, countRequests, detach, dryRun }: ApplyFlags,
): { readonly cli: Cli; readonly faults: InjectedFaults | undefined } {
  if (detach) {
    const flag = speed === undefined ? '--inject' : '--speed';
    throw usage(
      `${flag} cannot be used with --detach`,
      'Pods in the background outlive their agent, and the next one knows neither its time nor its faults.',
    );
  }
  if (seed !== undefined && inject.length === 0) {
    throw usage('--seed needs --inject', 'It decides what faults leave to chance.');
  }
  if (countRequests === true && inject.length === 0) {
    throw usage('--count-requests needs --inject', 'It counts the requests that are lost when something fails.');
  }
  const isRun = dryRun === 'none';
  if (isRun && speed !== undefined) cli.note(fasterTime(speed));
  const clock = new FastClock(cli.clock, speed ?? 1);
  const own = cli.at(clock);
  if (inject.length === 0) return { cli: own, faults: undefined };
  const faults = inject.map(readFault);
  if (isRun) cli.note(`faults: ${inject.join(', ')} (--seed ${seed ?? DEFAULT_SEED})`);
  const jumpWall = (ms: number): void => clock.jumpWall(ms);
  const client = countRequests === true ? clientOf(cli) : undefined;
  const options = { faults, seed: seed ?? DEFAULT_SEED, clock, jumpWall, client };
  return { cli: own, faults: new InjectedFaults(options) };
}

/** A client of all Services on record when the Pods begin. */
function clientOf(cli: Cli): InjectedFaultsOptions['client'] {
  const requests = new CountedRequests(machineClock(cli.clock));
  return {
    begin: () => requests.begin(openStore(cli).list<StoredService>('services').flatMap(askedAt)),
    close: () => {
      const taken = openStore(cli)
        .list<StoredEvent>('events')
        .filter(({ reason }) => reason === PORT_TAKEN);
      const isTaken = (place: string): boolean =>
        taken.some(({ message = '' }) => message.startsWith(cannotServe(place)));
      return requests.close(({ host, port }) => !isTaken(`${host}:${port}`));
    },
  };
}

/** The address of its first TCP port on this machine. Empty: it has none. */
function askedAt({ metadata: { name }, spec = {} }: StoredService): CountedService[] {
  const { clusterIP = '', ports = [] } = spec;
  const port = ports.find(({ protocol = 'TCP' }) => protocol === 'TCP')?.port;
  if (clusterIP === '' || clusterIP === 'None' || port === undefined) return [];
  return [{ name, host: machineAddress(clusterIP), port: machinePort(port, lowestPort()) }];
}
