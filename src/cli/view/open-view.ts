import { preferences } from '../preferences.ts';
import type { ApplyView, ViewOptions } from './apply-view.ts';

/** The view that the user asked for: transitions for people, or a watch as Kubernetes streams it. */
export async function openView(options: ViewOptions): Promise<ApplyView> {
  if (options.flags.output === 'json') return new (await import('./json-view.ts')).JsonView();
  if (preferences().isQuiet) return new (await import('./quiet-view.ts')).QuietView(options);
  return new (await import('./text-view.ts')).TextView(options);
}
