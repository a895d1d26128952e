import type { Container, Probe } from '../../api/generated/types.ts';
import type { Draft } from './draft.ts';
import { containerGraceMs, hasPreStop, requestStop } from './stop.ts';
import { killing } from '../texts/events.ts';

/** Stops one container of a Pod that goes on, in order to start it again. One that is being stopped is left alone. */
export function killContainer(draft: Draft, container: Container, why: string, failedProbe?: Probe): void {
  stopContainer(draft, container, { why, failedProbe, restart: true });
}

export interface KillRequest {
  /** See texts/killing.ts. */
  readonly why: string;
  /** The probe whose failure is the reason; it may bring a grace period of its own. */
  readonly failedProbe: Probe | undefined;
  readonly restart: boolean;
}

/** Stops one container of a Pod that goes on. Source: kuberuntime_container.go killContainer. */
export function stopContainer(draft: Draft, container: Container, request: KillRequest): void {
  if (draft.own(container).current?.stop !== undefined) return;
  draft.event(killing(container.name, request.why));
  const stop = requestStop(
    {
      graceMs: containerGraceMs(draft.pod, request.failedProbe),
      hasPreStop: hasPreStop(container),
      restart: request.restart,
      forPod: false,
    },
    draft.now,
  );
  draft.setStop(container.name, stop);
}
