import { allContainers, type StoredPod } from '../api/objects.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { judgeSecurity } from '../lifecycle/security/judge-security.ts';
import type { OwnRights } from '../lifecycle/security/own-rights.ts';
import { fieldHasNoEffect } from '../lifecycle/texts/events.ts';

export interface SecurityOptions {
  /** The rights of this process. */
  readonly rights: () => OwnRights;
  /** True when a container starts without the security settings that podrun must refuse: an event names them. */
  readonly isBestEffort: boolean;
}

/** The events about security settings that containers ask for and do not get: one for each. */
export function securityNotices({ spec }: StoredPod, { rights, isBestEffort }: SecurityOptions): EventDraft[] {
  const paths = new Map<string, Set<string>>();
  for (const container of allContainers(spec)) {
    const { notices, refusals } = judgeSecurity(spec, container, rights());
    for (const { path, note } of isBestEffort ? [...refusals, ...notices] : notices) {
      const known = paths.get(note) ?? new Set();
      paths.set(note, known.add(path));
    }
  }
  return [...paths].map(([note, places]) => fieldHasNoEffect({ paths: [...places], note }));
}
