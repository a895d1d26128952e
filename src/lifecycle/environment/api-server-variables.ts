import type { Container, StoredPod } from '../../api/index.ts';
import { noApiServer } from '../texts/podrun-events.ts';
import type { EventDraft } from '../texts/event-draft.ts';

/** The variables of the Service `kubernetes`, which contain the address of the API server. */
const VARIABLE = /\bKUBERNETES_(?:SERVICE_(?:HOST|PORT(?:_HTTPS)?)\b|PORT(?:_443_TCP\w*|\b))/;

/**
 * The notices for containers that refer to a variable of the API server in command, arguments or variables, without
 * setting that variable.
 */
export function apiServerNotices({ spec }: Pick<StoredPod, 'spec'>): EventDraft[] {
  return [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => {
    const variable = namedVariable(container);
    return variable === undefined ? [] : [noApiServer(container.name, variable)];
  });
}

function namedVariable({ command = [], args = [], env = [] }: Container): string | undefined {
  const texts = [...command, ...args, ...env.map(({ value = '' }) => value)];
  const [variable] = VARIABLE.exec(texts.join('\n')) ?? [];
  return env.some(({ name }) => name === variable) ? undefined : variable;
}
