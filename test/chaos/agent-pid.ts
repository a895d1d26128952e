import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Workshop } from '../cli/workshop.ts';
import { ifThere } from '../live-files.ts';

/** The process of the only background agent. Undefined when the agent has ended. */
export function agentPid(place: Workshop): number | undefined {
  const folder = path.join(place.stateDir, '.agents');
  const [id] = readdirSync(folder);
  if (id === undefined) return undefined;
  const text = ifThere(() => readFileSync(path.join(folder, id, 'process.json'), 'utf8'));
  return text === undefined ? undefined : (JSON.parse(text) as { pid: number }).pid;
}
