import type { OwnKind } from './parts.ts';

/** The documents of a manifest whose object has no Pods of its own, with the objects that it needs to be of use. */
export function ownDocuments(kind: OwnKind, name: string): string[] {
  return DOCUMENTS[kind].map((document) => document(name));
}

const configMap = (name: string): string =>
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
data: # all values are text: quote numbers and booleans
  # For variables. In a container: envFrom: [{ configMapRef: { name: ${name} } }]
  LOG_LEVEL: info
  # For files. In a Pod: volumes: [{ name: settings, configMap: { name: ${name} } }]
  settings.ini: |
    [server]
    port = 3000`;

const deployment = (name: string): string =>
  `# The Pods that respond. podrun init ${name} --kind deployment --with all explains more of their fields.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 2
  selector: # the labels of its Pods
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name} # the Deployment and the Service find the Pods by it
    spec:
      terminationGracePeriodSeconds: 10
      containers:
        - name: main
          # A cluster pulls this image. podrun pulls nothing: it runs the command as a program of this machine.
          image: node:24-alpine
          ports:
            - name: http # the probe and the Service name it
              containerPort: 3000
          command:
            - node
            - -e
            - |
              const server = require('node:http').createServer((request, response) => {
                console.log(request.method, request.url);
                response.end('hello from ' + process.env.POD_NAME + '\\n');
              });
              // podrun sets POD_IP, so that Pods on one network can have one port. Without it: all addresses.
              server.listen(3000, process.env.POD_IP);
              process.on('SIGTERM', () => process.exit()); // finish open work
          env:
            - name: POD_NAME
              valueFrom:
                fieldRef: { fieldPath: metadata.name }
          readinessProbe: # while it fails, the Service sends the Pod no requests
            httpGet: { path: /, port: http }
            periodSeconds: 1`;

const service = (name: string): string =>
  `# One name and one address for all of these Pods: http://${name}:8080 in a Pod; podrun prints one for this machine.
apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  selector: # it leads to ready Pods with these labels
    app: ${name}
  ports:
    - name: http
      port: 8080 # the port of the Service
      targetPort: http # a port of the container, by name or number`;

const ingress = (name: string): string =>
  `# It leads HTTP requests to Services by host and path. Browsers look for each name under localhost on this machine.
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
spec:
  rules:
    - host: ${name}.localhost
      http:
        paths:
          - path: / # Prefix: each path below it as well; Exact: this one alone
            pathType: Prefix
            backend:
              service:
                name: ${name}
                port: { name: http } # a port of the Service`;

const DOCUMENTS: Readonly<Record<OwnKind, ReadonlyArray<(name: string) => string>>> = {
  ConfigMap: [configMap],
  Service: [deployment, service],
  Ingress: [deployment, service, ingress],
};
