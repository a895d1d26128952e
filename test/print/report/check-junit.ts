/** The attributes and children that the schema allows. Source: the schema of Jenkins' xunit plugin, junit-10.xsd. */
const SCHEMA: Readonly<
  Record<string, { readonly attributes: readonly string[]; readonly children: readonly string[] }>
> = {
  testsuites: {
    attributes: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
    children: ['testsuite'],
  },
  testsuite: {
    attributes: ['name', 'tests', 'failures', 'errors', 'time', 'disabled', 'skipped', 'timestamp', 'hostname', 'id'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    // The schema lacks `file` and `line`, which pytest and others write.
    attributes: ['name', 'classname', 'time', 'assertions', 'status', 'file', 'line'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { attributes: ['type', 'message'], children: [] },
  skipped: { attributes: ['type', 'message'], children: [] },
  'system-out': { attributes: [], children: [] },
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#10': '\n', '#9': '\t' };

export interface ReadJunit {
  readonly errors: readonly string[];
  readonly attributes: ReadonlyArray<{ readonly element: string; readonly name: string; readonly value: string }>;
  /** Texts of failures, and of passed cases with a remark. */
  readonly texts: readonly string[];
}

/** Parses a report as XML, and returns the violations of the schema. */
export function checkJunit(xml: string): ReadJunit {
  const errors: string[] = [];
  const attributes: Array<{ element: string; name: string; value: string }> = [];
  const texts: string[] = [];
  const open: string[] = [];
  const body = xml.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, '');
  if (body === xml) errors.push('no XML declaration');
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Surrogate}/u.test(xml)) errors.push('a character that XML has not');
  let rest = body;
  while (rest !== '') {
    const token = /^(?:<(\/?)([a-z-]+)((?: [a-z]+="[^"<&]*(?:&[a-z#\d]+;[^"<&]*)*")*)(\/?)>|([^<]+))/.exec(rest);
    if (token === null) return { errors: [...errors, `no XML: ${rest.slice(0, 60)}`], attributes, texts };
    rest = rest.slice(token[0].length);
    const [, closes, element = '', given = '', isEmpty, text] = token;
    const parent = open.at(-1);
    if (text !== undefined) {
      if (parent === 'failure' || parent === 'system-out') texts.push(unescaped(text, errors));
      else if (text.trim() !== '') errors.push(`text in ${parent}`);
      continue;
    }
    if (closes === '/') {
      if (open.pop() !== element) errors.push(`</${element}> closes ${parent}`);
      continue;
    }
    const isPlaced = parent === undefined ? element === 'testsuites' : SCHEMA[parent]?.children.includes(element);
    if (isPlaced !== true) errors.push(`${element} in ${parent}`);
    for (const [, name = '', value = ''] of given.matchAll(/ ([a-z]+)="([^"]*)"/g)) {
      if (SCHEMA[element]?.attributes.includes(name) !== true) errors.push(`${element} has no ${name}`);
      attributes.push({ element, name, value: unescaped(value, errors) });
    }
    if (isEmpty === '') open.push(element);
  }
  return { errors: [...errors, ...open.map((element) => `${element} is not closed`)], attributes, texts };
}

function unescaped(text: string, errors: string[]): string {
  return text.replaceAll(/&([^;]*;)?/g, (entity, name = '') => {
    const character = ENTITIES[String(name).replace(';', '')];
    if (character === undefined) errors.push(`no entity: ${entity}`);
    return character ?? '';
  });
}
