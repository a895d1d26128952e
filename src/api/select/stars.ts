/**
 * Matches a whole text against a pattern in which `*` stands for any text, in time proportional to the product of their
 * lengths at most.
 */
export function matchesStars(text: string, pattern: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  const end = rest.pop() ?? '';
  if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) return false;
  // Between the fixed ends, the first occurrence of each piece is the best.
  const last = text.length - end.length;
  let at = start.length;
  for (const piece of rest) {
    const index = text.indexOf(piece, at);
    if (index === -1 || index + piece.length > last) return false;
    at = index + piece.length;
  }
  return true;
}
