/**
 * Checks of names, as Kubernetes does them. Each function returns errors in the API server's words. An empty list means
 * a valid name. Source: k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content.
 */

const LABEL_FORM = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
  'and must start and end with an alphanumeric character';
const SUBDOMAIN_FORM = `${LABEL_FORM}(\\.${LABEL_FORM})*`;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  'and must start and end with an alphanumeric character';
const WILDCARD_FORM = `\\*\\.${SUBDOMAIN_FORM}`;
const WILDCARD_RULE =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
  "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
const LABEL_UNDERSCORE_FORM = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_UNDERSCORE_FORM = `${LABEL_UNDERSCORE_FORM}(\\.${LABEL_UNDERSCORE_FORM})*`;
const SUBDOMAIN_UNDERSCORE_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
  'and must start and end with an alphanumeric character';
const KEY_FORM = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const KEY_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const KEY_EXAMPLES = ['MyName', 'my.name', '123-abc'];
const LABEL_VALUE_FORM = `(${KEY_FORM})?`;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
  'and must start and end with an alphanumeric character';
const CONFIG_KEY_FORM = '[-._a-zA-Z0-9]+';
const CONFIG_KEY_RULE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
const HEADER_FORM = '[-A-Za-z0-9]+';
const HEADER_RULE = "a valid HTTP header must consist of alphanumeric characters or '-'";
const PERCENT_FORM = '[0-9]+%';
const PERCENT_RULE = "a valid percent string must be a numeric string followed by an ending '%'";

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;
const PORT_NAME_MAX = 15;

// The forms above are texts of messages. These expressions accept the same strings in linear time.
const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_UNDERSCORE = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;
const KEY = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const HEADER = /^[-A-Za-z0-9]+$/;
const PERCENT = /^[0-9]+%$/;
const PRINTABLE_ENV_NAME = /^[\x20-\x3c\x3e-\x7e]*$/;

/** `rule (e.g. 'a',  or 'b', regex used for validation is 'form')`: the two blanks are Go's. */
function ruleWithForm(rule: string, form: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${list}regex used for validation is '${form}')`;
}

/** The length in bytes of UTF-8, as in Go. */
const byteLength = (text: string): number => Buffer.byteLength(text);

const tooLong = (max: number): string => `must be no more than ${max} characters`;
const tooManyBytes = (max: number): string => `must be no more than ${max} bytes`;

const isLabelText = (text: string): boolean => LABEL.test(text);
const isSubdomainText = (text: string): boolean => text.split('.').every(isLabelText);

/** An RFC 1123 label, 1 to 63 characters: names of containers, volumes, namespaces. */
export function labelMessages(value: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > LABEL_MAX) messages.push(tooLong(LABEL_MAX));
  if (isLabelText(value)) return messages;
  // Dots are the only error of a valid subdomain that is no label.
  if (isSubdomainText(value)) messages.push('must not contain dots');
  else messages.push(ruleWithForm(LABEL_RULE, LABEL_FORM, ['my-name', '123-abc']));
  return messages;
}

/** An RFC 1035 label: names of kinds, and of old Services. It begins with a letter. */
export function dns1035Messages(value: string): string[] {
  const messages = byteLength(value) > LABEL_MAX ? [tooLong(LABEL_MAX)] : [];
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value)) return messages;
  return [...messages, ruleWithForm(DNS_1035_RULE, DNS_1035_FORM, ['my-name', 'abc-123'])];
}

const DNS_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  'and end with an alphanumeric character';
const DNS_1035_FORM = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** An RFC 1123 subdomain, 1 to 253 characters: names of most objects. */
export function subdomainMessages(value: string): string[] {
  return subdomainMessagesWithLimit(value, tooLong(SUBDOMAIN_MAX));
}

function subdomainMessagesWithLimit(value: string, limitMessage: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > SUBDOMAIN_MAX) messages.push(limitMessage);
  if (!isSubdomainText(value)) messages.push(ruleWithForm(SUBDOMAIN_RULE, SUBDOMAIN_FORM, ['example.com']));
  return messages;
}

/** A subdomain that may contain `_`: search domains of a DNS configuration. */
export function underscoreSubdomainMessages(value: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > SUBDOMAIN_MAX) messages.push(tooLong(SUBDOMAIN_MAX));
  if (!value.split('.').every((part) => LABEL_UNDERSCORE.test(part))) {
    messages.push(ruleWithForm(SUBDOMAIN_UNDERSCORE_RULE, SUBDOMAIN_UNDERSCORE_FORM, ['example.com']));
  }
  return messages;
}

/** A subdomain behind `*.`: hosts of an Ingress. */
export function wildcardSubdomainMessages(value: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > SUBDOMAIN_MAX) messages.push(tooLong(SUBDOMAIN_MAX));
  if (!value.startsWith('*.') || !isSubdomainText(value.slice(2))) {
    messages.push(ruleWithForm(WILDCARD_RULE, WILDCARD_FORM, ['*.example.com']));
  }
  return messages;
}

/** A label key, also called a qualified name: an optional subdomain and `/`, then 1 to 63 characters. */
export function qualifiedNameMessages(value: string): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    const rule = ruleWithForm(`a valid label key ${KEY_RULE}`, KEY_FORM, KEY_EXAMPLES);
    return [`${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const messages: string[] = [];
  if (prefix === '') messages.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    const wrong = subdomainMessagesWithLimit(prefix, tooManyBytes(SUBDOMAIN_MAX));
    messages.push(...wrong.map((message) => `prefix part ${message}`));
  }
  if (name === '') messages.push('name part must be non-empty');
  else if (byteLength(name) > LABEL_MAX) messages.push(`name part ${tooManyBytes(LABEL_MAX)}`);
  if (!KEY.test(name)) messages.push(`name part ${ruleWithForm(KEY_RULE, KEY_FORM, KEY_EXAMPLES)}`);
  return messages;
}

/** The value of a label: empty, or up to 63 characters that begin and end with a letter or digit. */
export function labelValueMessages(value: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > LABEL_MAX) messages.push(tooManyBytes(LABEL_MAX));
  if (value !== '' && !KEY.test(value)) {
    messages.push(ruleWithForm(LABEL_VALUE_RULE, LABEL_VALUE_FORM, ['MyValue', 'my_value', '12345']));
  }
  return messages;
}

/** A key of a ConfigMap or Secret, which becomes a file name. */
export function configKeyMessages(value: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > SUBDOMAIN_MAX) messages.push(tooLong(SUBDOMAIN_MAX));
  if (!CONFIG_KEY.test(value)) {
    messages.push(ruleWithForm(CONFIG_KEY_RULE, CONFIG_KEY_FORM, ['key.name', 'KEY_NAME', 'key-name']));
  }
  if (value === '.') messages.push("must not be '.'");
  else if (value === '..') messages.push("must not be '..'");
  else if (value.startsWith('..')) messages.push("must not start with '..'");
  return messages;
}

/** A name that only has to fit into the path of a request. */
export function pathSegmentMessages(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((sign) => value.includes(sign)).map((sign) => `may not contain '${sign}'`);
}

/** The name of an environment variable: printable ASCII without `=`. */
export function envNameMessages(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  if (PRINTABLE_ENV_NAME.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** The name of a port: at most 15 of `a-z0-9-`, at least one letter. */
export function portNameMessages(value: string): string[] {
  const messages: string[] = [];
  if (byteLength(value) > PORT_NAME_MAX) messages.push(tooLong(PORT_NAME_MAX));
  if (!/^[-a-z0-9]+$/.test(value)) {
    messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) messages.push('must contain at least one letter (a-z)');
  if (value.includes('--')) messages.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
}

/** The name of an HTTP header in probes and hooks. */
export function httpHeaderMessages(value: string): string[] {
  return HEADER.test(value) ? [] : [ruleWithForm(HEADER_RULE, HEADER_FORM, ['X-Header-Name'])];
}

/** A percentage such as `25%`. */
export function percentMessages(value: string): string[] {
  return PERCENT.test(value) ? [] : [ruleWithForm(PERCENT_RULE, PERCENT_FORM, ['1%', '93%'])];
}

/** The name of a sysctl with dots as separators. Like sysctl(8), takes its first dot or slash as its separator. */
export function dottedSysctl(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== '/') return name;
  return name.replaceAll(/[./]/g, (char) => (char === '/' ? '.' : '/'));
}
