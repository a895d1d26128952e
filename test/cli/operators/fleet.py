"""An operator with the official client library for Python: makes as many ConfigMaps as a Fleet has ships."""

import sys

from kubernetes import client, config, watch

config.load_incluster_config()
with open("/var/run/secrets/kubernetes.io/serviceaccount/namespace", encoding="utf-8") as file:
    NAMESPACE = file.read()
FLEETS = {"group": "sea.example.com", "version": "v1", "namespace": NAMESPACE, "plural": "fleets"}
core = client.CoreV1Api()
custom = client.CustomObjectsApi()


def ignoring(status, call, *args):
    """Makes a call, and takes this response for a success."""
    try:
        call(*args)
    except client.ApiException as error:
        if error.status != status:
            raise


def reconcile(fleet):
    """Makes and removes ships, then says how many there are."""
    name, wanted = fleet["metadata"]["name"], fleet["spec"]["ships"]
    if fleet.get("status", {}).get("ships") == wanted:
        return
    owner = client.V1OwnerReference(
        api_version="sea.example.com/v1", kind="Fleet", name=name, uid=fleet["metadata"]["uid"]
    )
    for number in range(10):
        ship = f"{name}-{number}"
        if number < wanted:
            metadata = client.V1ObjectMeta(name=ship, owner_references=[owner])
            ignoring(409, core.create_namespaced_config_map, NAMESPACE, client.V1ConfigMap(metadata=metadata))
        else:
            ignoring(404, core.delete_namespaced_config_map, ship, NAMESPACE)
    fleet["status"] = {"ships": wanted}
    # A newer version of the Fleet is the next event.
    ignoring(409, lambda: custom.replace_namespaced_custom_object_status(**FLEETS, name=name, body=fleet))
    print(f"fleet {name} has {wanted} ships", flush=True)


while True:
    # The server ends a watch from time to time.
    for event in watch.Watch().stream(custom.list_namespaced_custom_object, **FLEETS):
        if event["type"] in ("ADDED", "MODIFIED"):
            try:
                reconcile(event["object"])
            except client.ApiException as error:
                print(error, file=sys.stderr, flush=True)
