/** The name of a sysctl with dots as separators. Like sysctl(8), takes its first dot or slash as its separator. */
export function dottedSysctl(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== '/') return name;
  return name.replaceAll(/[./]/g, (char) => (char === '/' ? '.' : '/'));
}
