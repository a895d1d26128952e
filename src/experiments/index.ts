export { CountedRequests, type CountedService } from './counted-requests.ts';
export { FastClock } from './fast-clock.ts';
export { InjectedFaults, type InjectedFaultsOptions } from './injected-faults.ts';
export { readFault } from './read-fault.ts';
