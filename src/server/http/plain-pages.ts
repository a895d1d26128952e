import { type ApiAnswer, noSuchPath, type ServedResource, type ServerContext } from '../../apiserver/index.ts';

/** The content type of pages for people. */
export const TEXT = 'text/plain; charset=utf-8';

/**
 * The answer for a path that nothing is at: of a group of Kubernetes a Status, else a page.
 * @throws {StatusError} 404
 */
export function missingPage(url: string, { resources }: ServerContext): ApiAnswer {
  const [, root = '', group = ''] = url.replace(/\?.*/, '').split('/');
  const isOwn = (one: ServedResource): boolean => one.group === group && one.custom?.isTyped !== false;
  if (root === 'api' || (root === 'apis' && resources.all.some(isOwn))) throw noSuchPath();
  return notFoundPage();
}

/** The answer for a path that no part of the API server knows. */
export function notFoundPage(): ApiAnswer {
  return { text: '404 page not found\n', type: TEXT, code: 404, headers: { 'X-Content-Type-Options': 'nosniff' } };
}
