import type { Container, Probe } from '../../api/index.ts';
import type { Draft } from './draft.ts';
import { containerGraceMs, hasPreStop, requestStop } from './stop.ts';
import { killing } from '../texts/events.ts';

/** Stops a container in order to restart it. Does nothing when the container is already being stopped. */
export function killContainer(draft: Draft, container: Container, why: string, failedProbe?: Probe): void {
  stopContainer(draft, container, { why, failedProbe, restart: true });
}

export interface KillRequest {
  /** One of texts/killing.ts. */
  readonly why: string;
  /** The failed probe that is the reason. It may have its own grace period. */
  readonly failedProbe: Probe | undefined;
  readonly restart: boolean;
}

/** Stops one container of a Pod that keeps running. Source: kuberuntime_container.go killContainer. */
export function stopContainer(draft: Draft, container: Container, request: KillRequest): void {
  if (draft.own(container).current?.stop !== undefined) return;
  draft.event(killing(container.name, request.why));
  const stop = requestStop(
    {
      graceMs: containerGraceMs(draft.pod, request.failedProbe),
      hasPreStop: hasPreStop(container),
      purpose: request.restart ? 'restart' : 'end',
    },
    draft.now,
  );
  draft.setStop(container.name, stop);
}
