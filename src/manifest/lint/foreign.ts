import { isCustomKind } from '../kinds.ts';
import type { DocumentProblem } from '../manifest-error.ts';

/** A line that only a manifest has, or a list of them: what cannot be read further down was meant as one. */
const NAMES_KIND = /^(?:-\s+)?(?:apiVersion|kind)\s*:|^[\s{[]*"(?:apiVersion|kind)"\s*:/m;

/**
 * Why a document that cannot be taken as a Kubernetes object is nothing to complain of: one sentence. Undefined when
 * it was meant as one, and is wrong.
 */
export function whyForeign({ stage, subject, error }: DocumentProblem): string | undefined {
  const { apiVersion, kind, name } = subject.identity;
  if (stage === 'parse') {
    if (NAMES_KIND.test(subject.source.text)) return undefined;
    return `no Kubernetes object, and cannot be read: ${error.detail}`;
  }
  if (stage !== 'kind') return undefined;
  if (error.type === 'No match') {
    if (!isCustomKind(apiVersion, kind)) return undefined;
    return `${kind} of ${apiVersion} is no kind of Kubernetes itself, so podrun does not know its fields`;
  }
  if (error.type === 'Invalid type' && NAMES_KIND.test(subject.source.text)) return undefined;
  // Who has written a name into metadata has forgotten the kind.
  if (apiVersion !== '' || kind !== '' || name !== '') return undefined;
  return 'no Kubernetes object: it has neither apiVersion nor kind';
}

/** What to do about a document that cannot be read because it is to become one: undefined for others. */
export function templateHint({ stage, subject }: DocumentProblem): string | undefined {
  if (stage !== 'parse' || !subject.source.text.includes('{{')) return undefined;
  return 'it looks like a template: check what it renders to, helm template . | podrun validate -';
}
