import { isCustomKind } from '../kinds.ts';
import type { DocumentProblem } from '../manifest-mistake.ts';

/** A line with kind or apiVersion, which only manifests have: a document with this line is meant as a manifest. */
const NAMES_KIND = /^(?:-\s+)?(?:apiVersion|kind)\s*:|^[ \t{[]*"(?:apiVersion|kind)"\s*:/m;

/**
 * The reason why a document is no Kubernetes object and was not meant as one: one sentence. Undefined for a wrong
 * manifest.
 */
export function whyNoManifest({ stage, subject, error }: DocumentProblem): string | undefined {
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
  // A document with metadata.name is a manifest without a kind.
  if (apiVersion !== '' || kind !== '' || name !== '') return undefined;
  return 'no Kubernetes object: it has neither apiVersion nor kind';
}

/** Advice about an unreadable document that is a template. Undefined for other documents. */
export function templateHint({ stage, subject }: DocumentProblem): string | undefined {
  if (stage !== 'parse' || !subject.source.text.includes('{{')) return undefined;
  return 'it looks like a template: check the rendered manifest with helm template . | podrun validate -';
}
