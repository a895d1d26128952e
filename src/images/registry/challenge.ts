/** The demand of a registry for credentials. Source: RFC 9110, 11.6.1; Docker's token authentication. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: Readonly<Record<string, string>>;
}

/** The parts of the header: `KEY=VALUE`, `KEY="VALUE"`, or the word of a scheme. */
const PART = /([\w-]+)(?:[ \t]*(=)[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^\s,"]*)))?/g;

/** Reads the challenges of the header WWW-Authenticate that podrun can answer, Bearer before Basic. */
export function parseChallenges(header: string | undefined): Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  for (const [, word = '', equals, quoted, plain = ''] of (header ?? '').matchAll(PART)) {
    const name = word.toLowerCase();
    if (equals === undefined) challenges.push({ scheme: name, parameters: {} });
    else if (challenges.length > 0) {
      const { parameters } = challenges[challenges.length - 1] as { parameters: Record<string, string> };
      parameters[name] = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    }
  }
  return (['bearer', 'basic'] as const).flatMap((scheme) =>
    challenges.filter((challenge) => challenge.scheme === scheme).map(({ parameters }) => ({ scheme, parameters })),
  );
}
