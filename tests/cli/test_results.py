"""Result files against their published schema, and the schema against what must not pass."""

import copy
import csv
import io
import json
import os
import subprocess

import jsonschema

import redhost_cli as cli

WRITER = os.environ.get("REDHOST_TEST_RESULTS", "")  # tests/unit/test_records_write.c
SCHEMA = os.path.join(cli.HERE, "..", "..", "docs", "results", "schema.json")


def strict(schema):
    """The same, where nothing may stand that the schema does not know."""
    if isinstance(schema, list):
        return [strict(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: strict(value) for key, value in schema.items()}
    if "properties" in schema and "type" in schema:
        inner.setdefault("additionalProperties", False)
    return inner


NOTHING = object()


def replaced(document, value, *path):
    """A copy with the value at the path, or without what stands there."""
    changed = copy.deepcopy(document)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    if value is NOTHING:
        del at[path[-1]]
    return changed


class Schema(cli.Case):
    # What must not stand at a place; and what a reader has no use for, or takes as it finds it.
    REFUSED = [("redhost/2", "schema"), ("many", "results", 0, "n"), (-1, "results", 0, "n"), ("fine", "results", 0, "status"),
               ("f8", "results", 0, "type"), ("1", "results", 0, "time_s", "median"), ([1], "results", 0, "time_s", "ci95"),
               (3, "results", 0, "check"), (3, "results", 0, "params"), (1, "results", 0, "peer"), ([], "tool"), ({}, "results"), (2**53 + 1, "results", 0, "n"),
               ("plus", "results", 0, "op"), (-1, "results", 0, "time_s", "median"), ([None], "results", 0, "time_s", "rounds"), ([1], "results", 0, "flags"),
               ("often", "results", 0, "reproducible")]
    UNREAD = [("warm", "settings", "cache"), (1.5, "results", 0, "passes"), (3, "results", 0, "check", "value"),
              ("moon", "results", 0, "finishes_on")]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.schema = json.loads(cli.text(SCHEMA))
        subprocess.run([WRITER, "--write", cls.cwd], check=True, timeout=cli.PATIENCE)
        cls.document = cls.load("made-up.json")

    @classmethod
    def load(cls, name):
        with open(os.path.join(cls.cwd, name), encoding="utf-8") as file:
            return json.load(file, parse_constant=cli.no_constants)

    def complaints(self, document, schema=None):
        return [error.message for error in jsonschema.Draft202012Validator(schema or self.schema).iter_errors(document)]

    def assert_known(self, document):
        """The schema allows it, and knows every key."""
        self.assertEqual(self.complaints(document), [])
        self.assertEqual(self.complaints(document, strict(self.schema)), [])

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_what_is_written(self):
        self.assertEqual({row["status"] for row in self.document["results"]},
                         {"ok", "wrong", "unsupported", "failed", "skipped"})
        self.assert_known(self.document)

    def test_every_key_of_a_result_is_written(self):
        self.good("--bench", "-s", "serial", "-n", "100", "--length", "10", "--quick", "--export=segments.json", quiet=False)
        segments = self.load("segments.json")
        self.assert_known(segments)
        keys = {key for row in self.document["results"] + segments["results"] for key in row}
        self.assertEqual(keys, set(self.schema["$defs"]["result"]["properties"]))
        full = self.document["results"][0]
        for key in ("time_s", "latency_s", "setup_s", "check"):
            self.assertEqual(set(full[key]), set(self.schema["$defs"]["result"]["properties"][key]["properties"]))
        self.assertEqual([key for key, value in full.items() if value is None], ["reason"])

    def test_lines(self):
        with open(self.path("made-up.jsonl"), encoding="utf-8") as file:
            header, *rows = map(json.loads, file)
        self.assertEqual(rows, self.document["results"])
        self.assertEqual(header, {key: value for key, value in self.document.items() if key not in ("results", "best")})
        self.assert_known({**header, "results": rows})

    def test_csv(self):
        with open(self.path("made-up.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(io.StringIO(file.read()), strict=True))
        for row, result in zip(rows, self.document["results"], strict=True):
            self.assertNotIn(None, row)
            for key in ("device", "strategy", "status", "reason", "finishes_on"):
                self.assertEqual(row[key], result[key] or "")
            self.assertEqual(row["n"], str(result["n"]))
            time = result["time_s"]
            self.assertEqual(row["time_s_median"] and float(row["time_s_median"]), time["median"] if time else "")
            self.assertEqual([float(word) for word in row["time_s_raw"].split()], time["raw"] if time else [])

    def test_additions_are_allowed(self):
        for path in ([], ["run"], ["results", 0], ["results", 0, "time_s"], ["devices", 0]):
            added = replaced(self.document, [1], *path, "of_tomorrow")
            self.assertEqual(self.complaints(added), [], path)
            self.assertNotEqual(self.complaints(added, strict(self.schema)), [], path)

    def test_what_must_not_pass(self):
        for path in (["schema"], ["results"], ["results", 0, "n"], ["results", 0, "status"], ["results", 0, "time_s", "median"],
                     ["best", 0, "strategy"], ["devices", 0, "id"]):
            self.assertNotEqual(self.complaints(replaced(self.document, NOTHING, *path)), [], path)
        for value, *path in self.REFUSED + self.UNREAD:
            self.assertNotEqual(self.complaints(replaced(self.document, value, *path)), [], (value, path))

    def test_reader_and_schema_agree(self):
        """What the schema refuses in a result, redhost refuses too."""
        for value, *path in self.REFUSED:
            name = self.write("bad.json", json.dumps(replaced(self.document, value, *path)))
            self.bad(6, "bad.json", "--compare", "made-up.json", name)

    def test_bench(self):
        """The real thing."""
        document = self.json("--bench", "--quick", "-s", "serial,cascade", "-n", "2^10:2^11", quiet=False)
        self.assertEqual(len(document["results"]), 4)
        self.assert_known(document)
