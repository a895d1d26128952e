import { createWriteStream, type WriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { guarded } from '../../defects.ts';
import { formatTime } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { type ApiRequest, type ApiUser, userInfoOf } from '../../apiserver/index.ts';

/** A request, as far as it is understood. */
export interface AuditedRequest {
  user?: ApiUser;
  /** Undefined: the path names no object. */
  request?: AuditedObject;
  /** The header Audit-Id of its response. */
  readonly id: string;
  /** The annotations of its event, which admission makes. */
  annotations: Readonly<Record<string, string>>;
}

/** The object or the collection that a request is about. */
export type AuditedObject = Pick<ApiRequest, 'verb' | 'namespace' | 'name' | 'subresource'> & {
  readonly resource: Pick<ApiRequest['resource'], 'group' | 'version' | 'plural'>;
};

type AuditStage = 'ResponseStarted' | 'ResponseComplete';

const PRIVATE = 0o600;

/**
 * Writes a line of JSON for each request: an Event of audit.k8s.io/v1, of the level Metadata. No body is in it, and no
 * header but the User-Agent. Source: apiserver/pkg/audit; apiserver/pkg/apis/audit/v1/types.go.
 */
export class AuditLog {
  readonly #clock: Clock;
  readonly #file: WriteStream;

  /** @param onTrouble called when the file cannot be written */
  constructor(file: string, clock: Clock, onTrouble: (error: Error) => void) {
    this.#clock = clock;
    this.#file = guarded(createWriteStream(file, { flags: 'a', mode: PRIVATE }), { ends: false });
    this.#file.on('error', onTrouble);
  }

  /** Begins the record of a request. The result writes a stage of it. */
  begin(raw: IncomingMessage, about: AuditedRequest): (stage: AuditStage, code: number) => void {
    const received = formatTime(this.#clock.now().wallMs);
    const { method = '', url = '', headers, socket } = raw;
    const sourceIPs = [socket.remoteAddress ?? ''];
    return (stage, code) => {
      const { user, request, annotations } = about;
      const event = {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: about.id,
        stage,
        requestURI: url,
        verb: request?.verb ?? method.toLowerCase(),
        user: user === undefined ? {} : userInfoOf(user),
        sourceIPs,
        userAgent: headers['user-agent'],
        objectRef: request && objectRef(request),
        responseStatus: { metadata: {}, code },
        requestReceivedTimestamp: received,
        stageTimestamp: formatTime(this.#clock.now().wallMs),
        annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
      };
      this.#file.write(`${JSON.stringify(event)}\n`);
    };
  }

  close(): void {
    this.#file.end();
  }
}

function objectRef({ resource, namespace, name, subresource }: AuditedObject): object {
  const { plural, group, version } = resource;
  return { resource: plural, namespace, name, apiGroup: group || undefined, apiVersion: version, subresource };
}
