import { subdomainMessages } from '../../api/index.ts';
import { type FieldError, invalid, required } from '../base/field-error.ts';
import { wellFormed } from './checks.ts';

/** Requires a path behind a domain: `acme.io/foo`. Source: apimachinery, IsDomainPrefixedPath. */
export function validateDomainPath(path: string, text: string): FieldError[] {
  const [domain, ...rest] = text.split('/');
  if (!text) return [required(path)];
  if (!domain || rest.join('/') === '') {
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return wellFormed(path, domain, subdomainMessages);
}
