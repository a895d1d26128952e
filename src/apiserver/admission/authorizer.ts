import type { Environment } from '@marcbachmann/cel-js';
import { accountUser } from '../access/account-user.ts';
import type { Attributes } from '../access/permissions.ts';
import type { ApiUser } from '../base/request.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** The variable `authorizer` of expressions: what the user of a request, or a ServiceAccount, may do. */
export class CelAuthorizer {
  readonly requestResource: CelAccess;
  readonly #user: ApiUser;
  readonly #request: AdmissionRequest;

  constructor(request: AdmissionRequest, user: ApiUser = request.user) {
    this.#user = user;
    this.#request = request;
    const { group, resource, subresource, namespace, name } = request;
    this.requestResource = this.access({ group, resource, subresource, namespace, name });
  }

  access(wanted: Attributes): CelAccess {
    return new CelAccess(wanted, (all) => this.#request.permits(this.#user, all));
  }

  ofAccount(namespace: string, name: string): CelAuthorizer {
    return new CelAuthorizer(this.#request, accountUser({ namespace, name }));
  }
}

/** The attributes of an access that an expression asks about. */
class CelAccess {
  readonly #wanted: Attributes;
  readonly #permits: (wanted: Attributes) => boolean;

  constructor(wanted: Attributes, permits: (wanted: Attributes) => boolean) {
    this.#wanted = wanted;
    this.#permits = permits;
  }

  with(more: Attributes): CelAccess {
    return new CelAccess({ ...this.#wanted, ...more }, this.#permits);
  }

  check(verb: string): CelDecision {
    return new CelDecision(this.#permits({ ...this.#wanted, verb }));
  }
}

/** An answer about an access. RBAC has no errors, and podrun no reasons. */
class CelDecision {
  readonly isAllowed: boolean;

  constructor(isAllowed: boolean) {
    this.isAllowed = isAllowed;
  }
}

const NAME = 'kubernetes.authorization';
const [AUTHORIZER, ACCESS, DECISION] = [`${NAME}.Authorizer`, `${NAME}.ResourceCheck`, `${NAME}.Decision`];

/**
 * Adds the functions of the authorizer. Selectors of labels and fields change nothing: RBAC does not look at them.
 * Source: apiserver/pkg/cel/library/authz.go.
 */
export function addAuthorizerLibrary(environment: Environment): void {
  environment
    .registerType(ACCESS, { ctor: CelAccess, fields: {} })
    .registerType(AUTHORIZER, { ctor: CelAuthorizer, fields: { requestResource: ACCESS } })
    .registerType(DECISION, { ctor: CelDecision, fields: {} })
    .registerFunction(`${AUTHORIZER}.path(string): ${ACCESS}`, (all: CelAuthorizer, path: string) => {
      if (path === '') throw new TypeError('path must not be empty');
      return all.access({ path });
    })
    .registerFunction(`${AUTHORIZER}.group(string): ${ACCESS}`, (all: CelAuthorizer, group: string) =>
      all.access({ group }),
    )
    .registerFunction(
      `${AUTHORIZER}.serviceAccount(string, string): ${AUTHORIZER}`,
      (all: CelAuthorizer, namespace: string, name: string) => all.ofAccount(namespace, name),
    )
    .registerFunction(`${ACCESS}.check(string): ${DECISION}`, (access: CelAccess, verb: string) => access.check(verb))
    .registerFunction(`${DECISION}.allowed(): bool`, ({ isAllowed }: CelDecision) => isAllowed)
    .registerFunction(`${DECISION}.errored(): bool`, () => false)
    .registerFunction(`${DECISION}.error(): string`, () => '')
    .registerFunction(`${DECISION}.reason(): string`, () => '');
  for (const attribute of ['resource', 'subresource', 'namespace', 'name'] as const)
    environment.registerFunction(`${ACCESS}.${attribute}(string): ${ACCESS}`, (access: CelAccess, value: string) =>
      access.with({ [attribute]: value }),
    );
  for (const selector of ['fieldSelector', 'labelSelector'])
    environment.registerFunction(`${ACCESS}.${selector}(string): ${ACCESS}`, (access: CelAccess) => access);
}
