"""check_schema.py WRITE_DOCUMENTS SCHEMA_FOLDER: validates what the program writes against the
published schemas, and that the schemas refuse what is wrong. Exit code 77: skipped."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is missing (Debian: python3-jsonschema)")
    sys.exit(77)


def validator(folder, name):
    def read(kind):
        return json.loads((pathlib.Path(folder) / f"{kind}.schema.json").read_text("utf-8"))

    schema, entry = read(name), read("entry")
    jsonschema.Draft202012Validator.check_schema(schema)
    try:  # jsonschema 4.18 and later
        from referencing import Registry, Resource

        registry = Registry().with_resource("entry.schema.json", Resource.from_contents(entry))
        return jsonschema.Draft202012Validator(schema, registry=registry)
    except ImportError:
        resolver = jsonschema.RefResolver("", schema, store={"entry.schema.json": entry})
        return jsonschema.Draft202012Validator(schema, resolver=resolver)


def spoiled(entry):
    """Documents that differ from a valid entry in one place each."""

    def change(what):
        document = copy.deepcopy(entry)
        what(document)
        return document

    yield change(lambda d: d.update(schema="sptune.entry/2"))
    yield change(lambda d: d.update(unheard_of=1))
    yield change(lambda d: d.pop("winner"))
    yield change(lambda d: d["matrix"].update(path="/home/somebody/a.mtx"))
    yield change(lambda d: d["matrix"].update(fingerprint=12))
    yield change(lambda d: d["features"].pop("row_gini"))
    yield change(lambda d: d["device"].update(threads=-1))
    yield change(lambda d: d["candidates"][0].update(status="fine"))
    yield change(lambda d: d["candidates"][0].update(status="ok", time_us=None))
    yield change(lambda d: d["candidates"][0].update(params={"c": "8"}))
    for field in ("bytes", "gflops", "gbs", "convert_us", "error"):
        yield change(lambda d, field=field: d["candidates"][0].update({field: -1}))
    yield change(lambda d: d["device"].update(bandwidth_gbs=-1))
    yield change(lambda d: d["provenance"].update(sweep_s=-1))


def main(write_documents, schemas):
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([write_documents, scratch], check=True)
        folder = pathlib.Path(scratch)
        kinds = {
            "entry": sorted(folder.glob("db/*/*.json")),
            "profile": sorted(folder.glob("profile-*.json")),
            "export": [folder / "export.json"],
        }
        for kind, files in kinds.items():
            assert files, f"no {kind} document was written"
            check = validator(schemas, kind)
            for file in files:
                check.validate(json.loads(file.read_text(encoding="utf-8")))
            print(f"{len(files)} {kind} documents are valid")
        check = validator(schemas, "entry")
        valid = json.loads(kinds["entry"][0].read_text(encoding="utf-8"))
        for number, document in enumerate(spoiled(valid)):
            assert not check.is_valid(document), f"spoiled document {number} was accepted"


if __name__ == "__main__":
    main(*sys.argv[1:])
