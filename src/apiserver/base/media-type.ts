/** The media type in a header Content-Type, without its parameters. Empty: there is none. */
export function mediaTypeOf(contentType = ''): string {
  return contentType.replace(/;.*/, '').trim().toLowerCase();
}

/** True for the body of a server-side apply. */
export function isApplyType(contentType: string | undefined): boolean {
  return mediaTypeOf(contentType) === 'application/apply-patch+yaml';
}
