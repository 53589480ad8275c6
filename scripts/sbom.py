"""What scripts/sbom runs. Equal Cargo.locks make equal bills: there is no date and no random number in them."""

import json
import pathlib
import subprocess
import sys
import tomllib
import uuid

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL


def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def checksums():
    """The SHA-256 of each crate, by name and version."""
    packages = tomllib.loads(pathlib.Path("Cargo.lock").read_text())["package"]
    return {(package["name"], package["version"]): package.get("checksum") for package in packages}


def reached(nodes, root, kinds):
    """The packages that are reached from the root by dependencies of these kinds, tests left out."""
    seen, todo = set(), [root]
    while todo:
        package = todo.pop()
        if package not in seen:
            seen.add(package)
            todo += [
                dep["pkg"] for dep in nodes[package]["deps"] if kinds & {kind["kind"] for kind in dep["dep_kinds"]}
            ]
    return seen


def component(package, checksum, scope, kind=ComponentType.LIBRARY):
    references = []
    for key, what in (("repository", ExternalReferenceType.VCS), ("homepage", ExternalReferenceType.WEBSITE)):
        if package[key]:
            references.append(ExternalReference(type=what, url=XsUri(package[key])))
    # Old crates write a slash where SPDX has OR.
    licence = (package["license"] or "").replace("/", " OR ")
    purl = PackageURL("cargo", name=package["name"], version=package["version"])
    return Component(
        bom_ref=str(purl),
        type=kind,
        name=package["name"],
        version=package["version"],
        description=package["description"],
        purl=purl,
        scope=scope,
        licenses=[LicenseExpression(licence)] if licence else [],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else [],
        external_references=references,
    )


def swagger_ui():
    """What /docs shows, which is in the program too. scripts/vendor-swagger-ui brings it."""
    version = pathlib.Path("web/docs/swagger-ui/VERSION").read_text().strip()
    purl = PackageURL("npm", name="swagger-ui-dist", version=version)
    return Component(
        bom_ref=str(purl),
        type=ComponentType.LIBRARY,
        name="swagger-ui-dist",
        version=version,
        purl=purl,
        scope=ComponentScope.REQUIRED,
        licenses=[LicenseExpression("Apache-2.0")],
    )


def main():
    cargo, sums = metadata(), checksums()
    packages = {package["id"]: package for package in cargo["packages"]}
    nodes = {node["id"]: node for node in cargo["resolve"]["nodes"]}
    root = cargo["resolve"]["root"]
    # What only runs while it is built is no part of the program.
    inside, all_of_them = reached(nodes, root, {None}), reached(nodes, root, {None, "build"})

    bom, components = Bom(version=1), {}
    for id in sorted(all_of_them):
        package = packages[id]
        scope = None if id == root else ComponentScope.REQUIRED if id in inside else ComponentScope.EXCLUDED
        kind = ComponentType.APPLICATION if id == root else ComponentType.LIBRARY
        components[id] = component(package, sums[package["name"], package["version"]], scope, kind)
    page = swagger_ui()
    bom.components.add(page)
    for id, made in components.items():
        if id == root:
            bom.metadata.component = made
        else:
            bom.components.add(made)
    for id, made in components.items():
        needs = [components[dep["pkg"]] for dep in nodes[id]["deps"] if dep["pkg"] in components]
        bom.register_dependency(made, needs + [page] if id == root else needs)

    # Its number and its date would differ in each run.
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_OID, pathlib.Path("Cargo.lock").read_text())
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    del document["metadata"]["timestamp"]
    text = json.dumps(document, indent=2, ensure_ascii=False)

    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"This is no CycloneDX: {error}")
    unlicensed = [made.name for made in bom.components if not made.licenses]
    if unlicensed:
        sys.exit(f"These have no licence: {', '.join(unlicensed)}")
    print(text)


if __name__ == "__main__":
    main()
